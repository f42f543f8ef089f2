import { MANAGEMENT } from "../api/kinds.ts";
import type { RecordedWrite } from "./attempt-record.ts";
import type { Key } from "./key.ts";
import type { Cause, Failure, KeyState, Lease, Outcome } from "./queue-port.ts";

/** Actions of the newest run of a function for a key, for `explain`: texts only, no object and no secret. */
export interface LastRun {
  readonly runId: string;
  /** RFC 3339, by the clock of the worker. */
  readonly endedAt: string;
  readonly durationMs: number;
  /** Why it ran, newest first. */
  readonly causes: readonly Cause[];
  /** `again`: its snapshots were stale, or it lost a race. */
  readonly outcome: Outcome["type"];
  /** Accepted requests, `apply MachinePool/status default/p1`; at most 8, then `and 12 more`. Empty = nothing to do. */
  readonly wrote: readonly string[];
  /** `Kind.path`, or why it runs again by itself. */
  readonly waitingFor?: string | undefined;
  /** It asked to run again so long after its end. */
  readonly afterMs?: number | undefined;
  readonly failure?: Failure | undefined;
}

/**
 * The last run by function and key. A note for people: it may be lost, is some seconds late in other processes, and is
 * forgotten after an hour at the latest.
 */
export interface LastRuns extends AsyncDisposable {
  /** Returns at once and never throws. */
  note(functionName: string, key: Key, run: LastRun): void;
  get(functionName: string, key: Key): Promise<LastRun | undefined>;
}

/** State of one key of one function. No state: idle. */
export interface KeyHistory {
  readonly state?: KeyState | undefined;
  readonly lastRun?: LastRun | undefined;
}

/** Source of `explain`. Unknown keys are idle. */
export type ReadHistory = (functionName: string, key: Key) => Promise<KeyHistory>;

const MAX_WRITES = 8;
const MAX_MESSAGE_CHARS = 300;

/** Returns the note about a run that has ended. */
export function lastRunOf({ runId, causes }: Lease, outcome: Outcome, endedAt: Date): LastRun {
  const { record } = outcome;
  const writes = (record?.writes ?? []).filter((write) => write.outcome.error === undefined).map(titleOf);
  const more = writes.length - MAX_WRITES;
  return {
    runId,
    endedAt: endedAt.toISOString(),
    durationMs: record?.durationMs ?? 0,
    causes,
    outcome: outcome.type,
    wrote: more > 0 ? [...writes.slice(0, MAX_WRITES), `and ${more} more`] : writes,
    ...(outcome.type === "ok" && outcome.waitingFor !== undefined ? { waitingFor: outcome.waitingFor } : {}),
    ...(outcome.type !== "error" && outcome.afterMs !== undefined ? { afterMs: outcome.afterMs } : {}),
    ...(outcome.type === "error" ? { failure: shortened(outcome.failure) } : {}),
  };
}

/** A write request in one line: `patch MachinePool default/p1`, `delete Node n1 in default/c1`. */
export function titleOf({ verb, cluster, kind, key, subresource }: RecordedWrite): string {
  const what = `${kind.kind}${subresource === undefined ? "" : `/${subresource}`}`;
  const name = key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
  return `${verb} ${what} ${name}${cluster === MANAGEMENT ? "" : ` in ${cluster}`}`;
}

function shortened({ class: errorClass, reason, message }: Failure): Failure {
  return { class: errorClass, reason, message: message.slice(0, MAX_MESSAGE_CHARS) };
}
