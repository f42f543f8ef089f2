import type { Machine } from "../../api/machine/machine.ts";
import { MINUTE } from "../../function/backoff.ts";
import { compareText, conditionOf } from "../conditions/conditions.ts";

/** A deletion that takes longer is worth a line. */
const STALE_MS = 15 * MINUTE;
/** Draining that takes longer is the likely reason. */
const LONG_DRAIN_MS = 5 * MINUTE;
const MAX_NAMES = 3;

/** Phrases of the condition `Deleting` while a Node is drained, and what each of them means. */
const REASONS: readonly (readonly [string, string])[] = [
  ["cannot evict pod as it would violate the pod's disruption budget.", "PodDisruptionBudgets"],
  ["deletionTimestamp set, but still not removed from the Node", "Pods not terminating"],
  ["failed to evict Pod", "Pod eviction errors"],
  ["waiting for completion", "Pods not completed yet"],
];

/** The fields of a Machine that `staleMachines` reads. */
export const STALE_FIELDS = ["status.conditions[Deleting]", "status.deletion.nodeDrainStartTime"] as const;

/** Returns a line about the Machines whose deletion takes long; `undefined`: none does. Source: MS-10.2 */
export function staleMachines(machines: readonly Machine[], now: Date): string | undefined {
  const stale = machines.filter((machine) => staleInMs(machine, now) === 0);
  if (stale.length === 0) return undefined;
  const names = stale.map(({ metadata }) => metadata.name).toSorted(compareText);
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const more = names.length > MAX_NAMES ? `, ... (${names.length - MAX_NAMES} more)` : "";
  const [who, are] = names.length === 1 ? ["Machine", "is"] : ["Machines", "are"];
  const delays = REASONS.filter(([phrase]) => stale.some((machine) => drainSays(machine, phrase, now)));
  const why =
    delays.length === 0 ? "" : `, delay likely due to ${delays.map(([, reason]) => reason).join(", ")}`;
  return `${who} ${shown}${more} ${are} in deletion since more than 15m${why}`;
}

/** Returns when the first of the Machines will be stale; `undefined`: none will without another change. */
export function staleExpiresInMs(machines: readonly Machine[], now: Date): number | undefined {
  const left = machines.flatMap((machine) => staleInMs(machine, now) ?? []).filter((ms) => ms > 0);
  return left.length === 0 ? undefined : left.reduce((a, b) => Math.min(a, b));
}

/** 0: it is stale. `undefined`: it is not being deleted. */
function staleInMs({ metadata }: Machine, now: Date): number | undefined {
  const deletedAt = Date.parse(metadata.deletionTimestamp ?? "");
  return Number.isNaN(deletedAt) ? undefined : Math.max(0, deletedAt + STALE_MS - now.getTime());
}

function drainSays({ status }: Machine, phrase: string, now: Date): boolean {
  const deleting = conditionOf(status?.conditions, "Deleting");
  const startedAt = Date.parse(status?.deletion?.nodeDrainStartTime ?? "");
  return (
    deleting?.status === "True" &&
    deleting.reason === "DrainingNode" &&
    now.getTime() - startedAt > LONG_DRAIN_MS &&
    deleting.message.includes(phrase)
  );
}
