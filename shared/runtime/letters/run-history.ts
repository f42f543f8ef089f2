import type { ClusterName } from "../../api/kinds.ts";
import { MINUTE } from "../../function/backoff.ts";
import type { RecordedWrite } from "../attempt-record.ts";
import type { Key } from "../queue/key.ts";
import type { Cause, Failure, KeyState, OutcomeName } from "../queue/queue-port.ts";

/** Runs kept of a function for a key. */
export const MAX_RUNS = 20;
/** Older runs are forgotten. */
export const RUNS_KEPT_MS = 24 * 60 * MINUTE;

/** A run of a function for a key, or equal idle runs in a row. Texts and numbers for people: no object and no secret. */
export interface RunEntry {
  /** The id of the run; of idle runs that of the newest, as all other fields but `since`. */
  readonly runId: string;
  /** RFC 3339, by the clock of the worker. */
  readonly endedAt: string;
  readonly durationMs: number;
  /** Why it ran, newest first, at most 10. */
  readonly causes: readonly Pick<Cause, "what" | "resourceVersion">[];
  /** `again`: its snapshots were stale, or it lost a race. */
  readonly outcome: OutcomeName;
  /** Accepted requests in the order of sending, at most 8. Empty: nothing to do. */
  readonly writes: readonly Written[];
  /** Number of accepted requests beyond those. */
  readonly moreWrites?: number | undefined;
  /** Inputs of a run that wrote or failed, in the order of reading, at most 12. Their content is in a dead letter only. */
  readonly read?: readonly Input[] | undefined;
  /** Number of reads beyond those. */
  readonly moreRead?: number | undefined;
  /** `Kind.path`, or why it runs again by itself; at most 300 characters. */
  readonly waitingFor?: string | undefined;
  /** It asked to run again so long after its end. */
  readonly afterMs?: number | undefined;
  /** Redacted, its message at most 300 characters. */
  readonly failure?: Failure | undefined;
  /** Number of equal idle runs in a row that this entry stands for; absent = 1. */
  readonly times?: number | undefined;
  /** When the first of them ended, RFC 3339; absent = `endedAt`. */
  readonly since?: string | undefined;
}

/** An object that a run has read, or a list of them. */
export interface Input {
  /** `Machine default/m1`; of a list only the kind. */
  readonly what: string;
  /** The Cluster of a workload server; absent for the management cluster. */
  readonly cluster?: ClusterName | undefined;
  /** The version that was read, of a list the newest; absent where nothing was there, or it could not be read. */
  readonly resourceVersion?: string | undefined;
  /** Length of a list. */
  readonly items?: number | undefined;
  /** It was asked of the server; absent: of the read model. */
  readonly live?: true | undefined;
}

/** A write request that a server accepted. */
export interface Written extends Pick<RecordedWrite, "verb" | "subresource"> {
  readonly cluster: ClusterName;
  /** `MachinePool default/p1`, as in the causes of the runs that it leads to. */
  readonly what: string;
  /** The version that it made; absent when the answer did not come, or names none, as of a deletion. */
  readonly resourceVersion?: string | undefined;
  /** Fields that it changed, at most 12. Empty for a create, a deletion, and anything about a Secret. */
  readonly changes: readonly FieldChange[];
  /** Number of changed fields beyond those. */
  readonly moreChanges?: number | undefined;
}

export interface FieldChange {
  /** `status.conditions[Ready].status`; at most 120 characters. */
  readonly path: string;
  /** Only of numbers, booleans, phases, and of the status and reason of conditions. */
  readonly value?: string | number | boolean | undefined;
  /** The field was given up. */
  readonly removed?: true | undefined;
}

/**
 * The runs of each function and key, newest first, at most 20 of the last 24 hours. A note for people, never truth: it
 * may be lost, is up to a second late in other processes, and the oldest go first when there are too many.
 */
export interface RunHistory extends AsyncDisposable {
  /** Returns at once and never throws. */
  note(functionName: string, key: Key, run: RunEntry): void;
  /** The newest `limit`, default all. Rejects while a shared history is away. */
  runs(functionName: string, key: Key, limit?: number): Promise<readonly RunEntry[]>;
  /**
   * Returns where a run is noted, by its whole id; undefined: nowhere, or not among the 2,000 keys that ran last, or it
   * was idle and an equal one followed. Rejects while a shared history is away.
   */
  find(runId: string): Promise<RunPlace | undefined>;
}

export interface RunPlace {
  readonly function: string;
  readonly key: Key;
}

/** Keys that a search for a run looks at. */
export const MAX_SEARCHED_KEYS = 2_000;

/** Id of a run, as logs and letters have it: `random.id(8)`. */
export const RUN_ID = /^[0-9a-f]{16}$/;

/** State of one key of one function. No state: idle. */
export interface KeyHistory {
  readonly state?: KeyState | undefined;
  readonly lastRun?: RunEntry | undefined;
}

/** The same with its newest runs, where they were asked for. */
export interface KeyRuns extends KeyHistory {
  readonly runs?: readonly RunEntry[] | undefined;
}

/** Source of `explain`. Unknown keys are idle. */
export type ReadHistory = (functionName: string, key: Key) => Promise<KeyHistory>;

/**
 * Returns a text that is the same for equal idle runs; undefined for a run that failed or wrote, which stands by
 * itself. When a run comes back, and its causes, make no difference.
 */
export function idleText({ outcome, writes, waitingFor = "" }: RunEntry): string | undefined {
  return outcome === "error" || writes.length > 0 ? undefined : `${outcome} ${waitingFor}`;
}

/** Returns both runs as one entry when they are equal idle runs. */
export function foldRuns(earlier: RunEntry, later: RunEntry): RunEntry | undefined {
  const text = idleText(later);
  if (text === undefined || text !== idleText(earlier)) return undefined;
  const times = (earlier.times ?? 1) + (later.times ?? 1);
  return { ...later, times, since: earlier.since ?? earlier.endedAt };
}
