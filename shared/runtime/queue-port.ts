import type { ClusterName, ObjectKey } from "../api/kinds.ts";
import type { QueueSettings } from "../function/backoff.ts";
import type { ErrorClass } from "../function/errors.ts";
import type { AttemptRecord } from "./attempt-record.ts";
import type { Key } from "./key.ts";

/**
 * The cause of a run after its server was restored or replaced: no run waits for the versions of its fences
 * (KR-12).
 */
export const RESTORED = "restored server";

/** Why a key was enqueued, for logs, explain and dead letters. */
export interface Cause {
  /** `MachinePool default/p1`, `timer`, `resync`, `replay`, `RESTORED`. */
  readonly what: string;
  readonly resourceVersion?: string | undefined;
  /** Span of the watch event (W3C Trace Context), when it is traced; from outside, so it may be malformed. */
  readonly traceparent?: string | undefined;
}

/**
 * A snapshot that a run must not go back behind: stored version at least (or above) the given one.
 * Without a name it is all of a kind: everything up to that version must have been handed on.
 */
export interface Fence extends ObjectKey {
  readonly cluster: ClusterName;
  readonly group: string;
  readonly kind: string;
  readonly resourceVersion: string;
  /** After a lost race only a newer version will do. */
  readonly newerThan?: boolean | undefined;
}

export interface QueueEntry {
  readonly key: Key;
  /** Default 0. */
  readonly delayMs?: number;
  readonly class: "live" | "resync";
  readonly cause?: Cause | undefined;
}

/** The right to run one key once. */
export interface Lease {
  readonly key: Key;
  /** Different for every run: stands in its log line, its requests, its Events and its dead letter (F-15). */
  readonly runId: string;
  readonly causes: readonly Cause[];
  /** Failures so far. */
  readonly failures: number;
  /** Runs in a row that ended in `again`. */
  readonly again: number;
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
   * Aborts the signal when the lease has run out unnoticed: a process that stood still continues before its
   * timers do.
   * Called when a write is about to leave.
   */
  readonly checkHeld?: () => void;
  /** Ends the run as failed: something that it started has thrown outside of it, a timer for instance. */
  readonly fail?: (thrown: unknown) => void;
  /**
   * Takes the run's own account of what it has read, decided and sent so far. A lease that cuts the run off asks it for
   * the record of that Outcome (F-14): the run itself may never return one.
   */
  readonly recordFrom?: (soFar: () => AttemptRecord) => void;
}

export interface Failure {
  readonly class: ErrorClass;
  readonly reason: string;
  readonly message: string;
}

interface Recorded {
  /** Reads, decision and requests of the run; absent when it never got to its step. Never goes into the ledger. */
  readonly record?: AttemptRecord | undefined;
}

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
      readonly type: "again";
      readonly afterMs: number;
      readonly fences: readonly Fence[];
    })
  | (Recorded & {
      readonly type: "error";
      readonly failure: Failure;
      /** Dead at once. */
      readonly terminal: boolean;
      readonly requested: boolean;
      /** Absent when unknown: those of earlier runs stay. */
      readonly fences?: readonly Fence[] | undefined;
    });

/**
 * Counts of a ledger: events that added no run; tokens of keys that need no run any more; tokens sent
 * again; leases that expired; ends of runs that had lost their lease; dead keys that an event brought back.
 */
export const COUNTED = [
  "coalesced",
  "stale",
  "resent",
  "expired",
  "fenced",
  "revivedLive",
  "revivedResync",
] as const;
export type Counted = (typeof COUNTED)[number];
/** Called by a queue with the counts of its calls of the ledger. Must not throw. */
export type NoteCount = (functionName: string, counted: Counted, times: number) => void;

export interface QueueDepth {
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** Milliseconds until the next waiting key is due; undefined when none waits. */
  readonly nextDueMs?: number | undefined;
  /** By how much time is behind: since when a waiting key is due, or a lease over; absent where none is. */
  readonly tickLagMs?: number | undefined;
  /** Of the ready keys, those of class resync; absent where that is not known. */
  readonly readyResync?: number | undefined;
  /** How long the longest ready key of each class has been ready; absent where none is or that is not known. */
  readonly oldestReadyMs?: { readonly [urgency in QueueEntry["class"]]?: number } | undefined;
  /** Claims are stopped; absent otherwise. */
  readonly paused?: boolean | undefined;
  /** Most runs fail, so claims are slowed down; absent otherwise. */
  readonly breakerOpen?: boolean | undefined;
  /** Dead keys that were forgotten because there were too many; absent while there are none. */
  readonly deadEvicted?: number | undefined;
  /** By tenant (part of the key before the first `|`); absent where no key is or that is not known. */
  readonly tenants?: { readonly [tenant: string]: TenantDepth } | undefined;
  /** Absent when no run has ended in it. */
  readonly lastMinute?: EndedRuns | undefined;
}

/** The runs that ended within the last 50 to 60 s, for good or by a failure; those that were put off do not count. */
export interface EndedRuns {
  readonly runs: number;
  /** Their durations, added up. */
  readonly busyMs: number;
}

export interface TenantDepth {
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** Of the ready keys, those of class resync; absent when there are none. */
  readonly readyResync?: number | undefined;
}

export interface QueueHealth {
  readonly ok: boolean;
  /** The problem; no secrets. */
  readonly message?: string;
}

export interface DeadKey {
  readonly key: Key;
  readonly since: Date;
  readonly failures: number;
  readonly failure: Failure;
}

/** Where a key stands that is not idle, for `explain`. */
export interface KeyState {
  readonly state: "waiting" | "ready" | "running" | "dead";
  /** Since when it is ready, runs or is dead; absent where that is not known. */
  readonly since?: Date | undefined;
  /** When time moves it on: a waiting key becomes ready, the lease of a running one runs out. */
  readonly until?: Date | undefined;
  /** Who runs it. */
  readonly owner?: string | undefined;
  /** Why it will run (again), newest first. */
  readonly causes: readonly Cause[];
  /** In a row. */
  readonly failures: number;
  /** The last one of these. */
  readonly failure?: Failure | undefined;
}

export interface WorkOptions extends QueueSettings {
  /** Name of this worker, for leases. */
  readonly owner: string;
}

/**
 * Reconcile keys by function. The contract is of infra/queue/README.md; `test/suites/queue.ts`
 * checks it for every driver. Function names are `[a-z0-9-]{1,63}`.
 */
export interface Queue extends AsyncDisposable {
  /** At least one claim at or after now for every entry, or a dead key. Same keys merge; the earliest due wins. */
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** Starts claiming. Disposing stops claiming, lets runs finish for up to 25 s, then releases their keys. */
  work(
    functionName: string,
    options: WorkOptions,
    run: (lease: Lease) => Promise<Outcome>,
  ): Promise<AsyncDisposable>;
  depth(functionName: string): Promise<QueueDepth>;
  dead(functionName: string): Promise<readonly DeadKey[]>;
  /** Where one key stands; undefined = idle: no run is due until an event. */
  keyState(functionName: string, key: Key): Promise<KeyState | undefined>;
  /**
   * Changes when the ledger has lost data or may have: gone, another server process, an outage of more than 5 s, a
   * refused event. The relay then resyncs.
   */
  epoch(functionName: string): Promise<string>;
  /** Stops the claims of a function in all processes; running keys end, events are accepted. Kept in the ledger. */
  pause(functionName: string): Promise<void>;
  resume(functionName: string): Promise<void>;
  /** As this process sees it, without a request. */
  healthy(): QueueHealth;
}
