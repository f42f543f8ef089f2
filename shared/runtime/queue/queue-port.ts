import type { ClusterName, ObjectKey } from "../../api/kinds.ts";
import type { QueueSettings } from "../../function/backoff.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Key } from "./key.ts";
import type { QueueControl } from "./queue-control.ts";
import type { QueueReader } from "./queue-reader.ts";
import type { Cause, Failure, QueueDepth } from "./queue-state.ts";

export type { Cause, EndedRuns, Failure, KeyState, QueueDepth, TenantDepth } from "./queue-state.ts";

/**
 * The cause of a run after its server was restored or replaced: no run waits for the versions of its fences (KR-12).
 */
export const RESTORED = "restored server";

/**
 * A snapshot that a run must not go back behind: stored version at least (or above) the given one.
 * Without a name it is all of a kind: everything up to that version must have been handed on.
 */
export interface Fence extends ObjectKey {
  readonly cluster: ClusterName;
  readonly group: string;
  readonly kind: string;
  readonly resourceVersion: string;
  /** Whether only a newer version will do, after a lost race. */
  readonly newerThan?: boolean | undefined;
  /** The event of the run's own write, as `Kind namespace/name@version`, when the run need not see it. */
  readonly echo?: string | undefined;
}

/** The order in which keys are served: those of events first, then those of a resync. */
export type Priority = "live" | "resync";

export interface QueueEntry {
  readonly key: Key;
  /** The delay; default 0. */
  readonly delayMs?: number;
  readonly priority: Priority;
  readonly cause?: Cause | undefined;
}

/** The right to run one key once. */
export interface Lease {
  readonly key: Key;
  /** Different for every run: stands in its log line, its requests, its Events and its dead letter. */
  readonly runId: string;
  readonly causes: readonly Cause[];
  /** Failures so far. */
  readonly failures: number;
  /** Runs in a row that ended in `retry`. */
  readonly retries: number;
  readonly fences: readonly Fence[];
  /** How long the key was ready before this claim, by the clock of the ledger; absent where that is not known. */
  readonly readyMs?: number | undefined;
  /**
   * When it was claimed, by the clock of the ledger: the `now` of the step. Workers whose clocks differ agree on it.
   * Absent without a ledger.
   */
  readonly claimedAt?: Date | undefined;
  /** Whether a write may still leave: false once `freshMs` of the function are over since the claim was asked for. */
  readonly isFresh?: (() => boolean) | undefined;
  /** Aborts when the lease is lost, the run takes too long, or the worker stops. */
  readonly signal: AbortSignal;
  /**
   * Aborts the signal when the lease has run out unnoticed: a process that stood still continues before its timers do.
   * Called when a write is about to leave.
   */
  readonly checkHeld?: () => void;
  /** Ends the run as failed: something that it started has thrown outside of it, a timer for instance. */
  readonly fail?: (thrown: unknown) => void;
  /**
   * Takes the run's own account of what it has read, decided and sent so far. A lease that cuts the run off asks it for
   * the record of that Outcome: the run itself may never return one.
   */
  readonly recordFrom?: (soFar: () => AttemptRecord) => void;
}

interface Recorded {
  /** Reads, decision and requests of the run; absent when it never got to its step. Never goes into the ledger. */
  readonly record?: AttemptRecord | undefined;
}

/** The outcome of a run in logs, traces and the history, which say `again` for a retry. */
export type OutcomeName = "ok" | "again" | "error";

/** How a run ended; the ledger decides what that means for the key. */
export type Outcome =
  | (Recorded & {
      readonly type: "ok";
      /** Run again after this long; absent = idle until an event. */
      readonly afterMs?: number | undefined;
      /** Raises the floor of the next claim to this long after this claim. */
      readonly notBeforeMs?: number | undefined;
      /** The run sent a write request: arms the floor. */
      readonly requested: boolean;
      /** Object and field that the key waits for, for `explain`. */
      readonly waitingFor?: string | undefined;
      readonly fences: readonly Fence[];
    })
  | (Recorded & {
      /** Stale snapshot or lost race: touches neither the failure count nor the floor. */
      readonly type: "retry";
      readonly afterMs: number;
      readonly fences: readonly Fence[];
    })
  | (Recorded & {
      readonly type: "error";
      readonly failure: Failure;
      /** Dead at once. */
      readonly terminal: boolean;
      readonly requested: boolean;
      /** The fences; absent when unknown: those of earlier runs stay. */
      readonly fences?: readonly Fence[] | undefined;
    });

/**
 * Counts of a ledger: events that added no run; tokens of keys that need no run any more; tokens sent
 * again; leases that expired; ends of runs that had lost their lease; dead keys that an event brought back, and those
 * that are tried again in the slow lane; claims that wait for the budget of their namespace.
 */
export const COUNTED = [
  "coalesced",
  "stale",
  "resent",
  "expired",
  "fenced",
  "revivedLive",
  "slow",
  "throttled",
] as const;
export type Counted = (typeof COUNTED)[number];
/** Called by a queue with the counts of its calls of the ledger. Must not throw. */
export type NoteCount = (functionName: string, counted: Counted, times: number) => void;

export interface QueueHealth {
  readonly ok: boolean;
  /** The problem; no secrets. */
  readonly message?: string | undefined;
  /** When the first certificate of the server and its authorities ends; absent without TLS. */
  readonly certificateEndsAt?: Date | undefined;
}

export interface DeadKey {
  readonly key: Key;
  readonly since: Date;
  readonly failures: number;
  readonly failure: Failure;
}

export interface WorkOptions extends QueueSettings {
  /** Name of this worker, for leases. */
  readonly owner: string;
  /** Keys of one namespace that may run a second, in all workers (S-31). Default: any number. */
  readonly namespaceRunsPerSecond?: number | undefined;
}

/**
 * Reconcile keys by function. The contract is of infra/queue/README.md; `test/suites/queue.ts`
 * checks it for every driver. Function names are `[a-z0-9-]{1,63}`.
 */
export interface Queue extends QueueReader, QueueControl, AsyncDisposable {
  /** Guarantees a claim at or after now for every entry, or a dead key. Same keys merge; the earliest due wins. */
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** Starts claiming. Disposing stops claiming, lets runs finish for up to 25 s, then releases their keys. */
  work(
    functionName: string,
    options: WorkOptions,
    run: (lease: Lease) => Promise<Outcome>,
  ): Promise<AsyncDisposable>;
  depth(functionName: string): Promise<QueueDepth>;
  dead(functionName: string): Promise<readonly DeadKey[]>;
  /**
   * Changes when the ledger has lost data or may have: gone, another server process, an outage of more than 5 s, a
   * refused event. The relay then resyncs.
   */
  epoch(functionName: string): Promise<string>;
  /** Returns the health as this process sees it, without a request. */
  healthy(): QueueHealth;
}
