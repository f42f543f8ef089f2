import type { KubeObject } from "../../api/kinds.ts";
import { MINUTE, SECOND } from "../../function/backoff.ts";
import { type Result, requeueAfter } from "../../function/result.ts";
import { conditionOf } from "../conditions/conditions.ts";

/**
 * All that keeps a status from being written at once: an object that is on its way would else cost a write, and wake
 * its readers, for each of its steps. A row holds a status back for a time; a floor is the least time between two.
 */
const HELD_BACK = {
  /** `guard`, `adopt` and `sync` write first, which wakes the status again. A write that is refused silences none for ever. */
  unsettled: { forMs: MINUTE, why: "finalizer, owner references and spec are written first" },
  /** Creation times are whole seconds. A provider object that is ready at once is not reported twice. */
  newProviders: { forMs: 2 * SECOND, why: "objects of the provider are new" },
  /**
   * The drain has seen a Node without Pods within a second, unless hundreds are drained at once; then the Machine is
   * mostly gone soon. A status before its words would change the version that its apply tests, which lists all Pods again.
   * Differs: upstream says at once that the deletion has started.
   */
  undrained: { forMs: 5 * SECOND, why: "the drain speaks first" },
  /**
   * The pace after a drain. Without Pods, volumes and slow providers a deletion is over within a second or two of the
   * drain, and a status meanwhile would change the version that the last patch of `machine-delete` tests, which does
   * all its reads again.
   */
  justDrained: { forMs: 5 * SECOND, why: "mostly it is gone by then", isFloor: true },
  /** A rollout steps by the counts of its sets: those of each Machine of a group would make its steps small. */
  group: { forMs: 5 * SECOND, why: "Machines come and go in a group" },
} as const;

/** Least times between two statuses of an object, in ms. */
export const FLOORS = {
  /**
   * Each step of a rollout moves a Machine. Written once a second, the statuses of deployment and Cluster cost a fifth
   * of all writes. Nothing waits for them: a rollout goes by the statuses of the sets.
   */
  rollout: 5 * SECOND,
  deletedPool: 5 * SECOND,
  /**
   * Returns half of what the deletion of a Machine has taken so far, within 10 and 30 s: of a thousand deletions under
   * way, not every stage of each is written. At 1 s, two hundred at once cost a third more writes each.
   * Differs: 5 s in the specification, whatever the deletion takes; upstream writes after each pass.
   */
  deletedMachine({ metadata }: KubeObject, now: Date): number {
    const takenMs = now.getTime() - Date.parse(metadata.deletionTimestamp ?? "");
    return Number.isNaN(takenMs) ? 10 * SECOND : clamp(Math.floor(takenMs / 2), 10 * SECOND, 30 * SECOND);
  },
  /**
   * A thousand pools that become ready cost a Cluster one status per second, a thousand Machines one per five seconds,
   * in one Cluster or in five: a Machine costs the same however many there are.
   */
  cluster(machines: number): number {
    const few = Math.min(5, Math.ceil(machines / 50));
    return SECOND * Math.max(1, few, Math.ceil(machines / 200));
  },
};

interface Reported {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined;
}

/** Returns whether a status says that Machines are being replaced. */
export function isRollingOut({ conditions }: Reported): boolean {
  return conditionOf(conditions, "RollingOut")?.status === "True";
}

function clamp(ms: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, ms));
}

/** A row of the table with its condition. */
export interface HeldBack<Facts> {
  readonly row: keyof typeof HELD_BACK;
  /** Returns from when its time counts, RFC 3339; `undefined`: it does not hold the status back. */
  readonly since: (facts: Facts) => string | undefined;
}

/** A young object about which other functions still have something to write. */
export const UNSETTLED: HeldBack<{ readonly object: KubeObject; readonly isDue: () => boolean }> = {
  row: "unsettled",
  since: ({ object, isDue }) => (isDue() ? object.metadata.creationTimestamp : undefined),
};

/** Returns the end of a run whose status waits, by the first row that holds it back; `undefined`: it is written now. */
export function heldBack<Facts>(
  rows: readonly HeldBack<Facts>[],
  facts: Facts,
  now: Date,
): { readonly result: Result; readonly notBeforeMs?: number } | undefined {
  for (const { row, since } of rows) {
    const { forMs, why, ...more } = HELD_BACK[row];
    const leftMs = Math.min(forMs, Date.parse(since(facts) ?? "") + forMs - now.getTime());
    if (leftMs > 0) {
      return { result: requeueAfter(leftMs, why), ...("isFloor" in more ? { notBeforeMs: leftMs } : {}) };
    }
  }
  return undefined;
}
