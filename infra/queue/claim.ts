import type { Death, FailedRun, NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Key } from "../../shared/runtime/queue/key.ts";
import type { Cause, Failure, Fence, NoteCount, Outcome } from "../../shared/runtime/queue/queue-port.ts";

/** The terms of a worker for a claim. The ledger keeps them with the key, so that a tick can judge an expired lease. */
export interface ClaimTerms {
  /** Different for every claim, so that a finish of an earlier one is fenced. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly attempts: number;
  readonly minIntervalMs: number;
  /** Keys of one tenant that may run at a time in all workers. Default: any number. */
  readonly maxRunningPerTenant?: number | undefined;
  /** Keys of one namespace that may run a second, in all workers (S-31). Default: any number. */
  readonly namespaceRunsPerSecond?: number | undefined;
  /** The worker takes another key than the token's, too. */
  readonly anyKey?: boolean;
}

/** A lease that the ledger has handed out. */
export interface Claim {
  readonly key: Key;
  readonly owner: string;
  readonly failures: number;
  readonly retries: number;
  readonly causes: readonly Cause[];
  readonly fences: readonly Fence[];
  /** How long the key was ready, by the clock of the ledger. */
  readonly readyMs: number;
  /** When it was handed out, by the same clock, in ms since 1970. */
  readonly claimedAtMs: number;
}

/** Distinct causes kept per key (Q-01: a thousand events must not grow an entry). */
export const MAX_CAUSES = 10;

/**
 * How long fences are kept: longer than a watch may lag, since one that is silent for 90 s is replaced. Until then a
 * key may rest after its write and then run on an older snapshot. A run that finds the read model caught up, or reads
 * live, ends its fences sooner.
 */
export const FENCES_KEPT_MS = 5 * 60_000;

export const LEASE_EXPIRED: Failure = Object.freeze({
  class: "Transient",
  reason: "LeaseExpired",
  message: "the lease expired: the worker stopped, hung or lost its connection",
});

/** Returns how long after its claim a run with this outcome delays the next claim; 0 = not at all. */
export function floorMs(outcome: Outcome, minIntervalMs: number): number {
  if (outcome.type === "retry") return 0;
  const asked = outcome.type === "ok" ? (outcome.notBeforeMs ?? 0) : 0;
  return Math.max(asked, outcome.requested ? minIntervalMs : 0);
}

/** Reason of a failure that no further attempt can mend: the only one. */
export const MALFORMED_KEY = "MalformedKey";

/** Counts nothing, for queues without metrics. */
export const forgetCount: NoteCount = () => undefined;

/** Notes nothing, for queues without dead letters. */
export const forgetFailure: NoteFailure = async () => undefined;

/** Returns why a key died, from its last failure. */
export function deathReason(failure: Failure): Death["reason"] {
  if (failure.reason === MALFORMED_KEY) return "Malformed";
  if (failure.reason === LEASE_EXPIRED.reason) return "LeaseExpired";
  return failure.class === "Terminal" ? "Terminal" : "MaxAttempts";
}

/** Returns a failed run as the dead letters note it. */
export function failedRun(
  functionName: string,
  claim: Claim,
  outcome: Outcome & { readonly type: "error" },
): Omit<FailedRun, "death"> {
  const { key, owner, retries, causes } = claim;
  const { failure, record } = outcome;
  const startedAt = new Date(claim.claimedAtMs);
  const failures = claim.failures + 1;
  return { function: functionName, key, owner, startedAt, failure, failures, retries, causes, record };
}
