import type { ErrorClass } from "../../function/errors.ts";

/** Why a key was enqueued, for logs, explain and dead letters. */
export interface Cause {
  /** `MachinePool default/p1`, `timer`, `resync`, `replay`, `RESTORED`. */
  readonly what: string;
  readonly resourceVersion?: string | undefined;
  /** Span of the watch event (W3C Trace Context), when it is traced; from outside, so it may be malformed. */
  readonly traceparent?: string | undefined;
}

export interface Failure {
  readonly class: ErrorClass;
  readonly reason: string;
  readonly message: string;
}

export interface QueueDepth {
  readonly ready: number;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
  /** Milliseconds until the next waiting key is due; undefined when none waits. */
  readonly nextDueMs?: number | undefined;
  /** How late time is noticed: since when a waiting key is due, or a lease over; absent where none is. */
  readonly tickLagMs?: number | undefined;
  /** The number of ready keys of priority resync; absent where that is not known. */
  readonly readyResync?: number | undefined;
  /** How long the longest ready key of each priority has been ready; absent where none is or that is not known. */
  readonly oldestReadyMs?: { readonly [priority in "live" | "resync"]?: number } | undefined;
  /** Claims are stopped; absent otherwise. */
  readonly paused?: boolean | undefined;
  /** BullMQ's own `queue.pause()` holds its tokens back, which only BullMQ ends; absent otherwise. */
  readonly pausedInBullmq?: boolean | undefined;
  /** Most runs fail, so claims are slowed down; absent otherwise. */
  readonly breakerOpen?: boolean | undefined;
  /** Dead keys that were forgotten because there were too many; absent while there are none. */
  readonly deadEvicted?: number | undefined;
  /** The depths by tenant (part of the key before the first `|`); absent where no key is or that is not known. */
  readonly tenants?: { readonly [tenant: string]: TenantDepth } | undefined;
  /** The runs of the last minute; absent when no run has ended in it. */
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
  /** The number of ready keys of priority resync; absent when there are none. */
  readonly readyResync?: number | undefined;
}

/** Where a key stands that is not idle, for `explain`. */
export interface KeyState {
  readonly state: "waiting" | "ready" | "running" | "dead";
  /** The time since when it is ready, runs or is dead; absent where that is not known. */
  readonly since?: Date | undefined;
  /** When time moves it on: a waiting key becomes ready, the lease of a running one runs out, a dead one is tried again. */
  readonly until?: Date | undefined;
  /** The time of death of a key that is being tried again: its death is not over. */
  readonly deadSince?: Date | undefined;
  /** Who runs it. */
  readonly owner?: string | undefined;
  /** Why it will run (again), newest first. */
  readonly causes: readonly Cause[];
  /** Failures in a row. */
  readonly failures: number;
  /** The last one of these. */
  readonly failure?: Failure | undefined;
}
