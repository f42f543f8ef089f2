import type { Key } from "../../shared/runtime/key.ts";
import type { Cause, Failure, Fence, Outcome } from "../../shared/runtime/ports.ts";

/** What a worker brings to a claim. The ledger keeps it with the key, so that a tick can judge an expired lease. */
export interface ClaimTerms {
  /** Different for every claim, so that a finish of an earlier one is fenced. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly attempts: number;
  readonly minIntervalMs: number;
}

/** What the ledger hands out with a lease. */
export interface Claim {
  readonly key: Key;
  readonly owner: string;
  readonly failures: number;
  readonly again: number;
  readonly causes: readonly Cause[];
  readonly fences: readonly Fence[];
}

/** Distinct causes kept per key (Q-01: a thousand events must not grow an entry). */
export const MAX_CAUSES = 10;

/** A later run has caught up with any version by then, or reads live. */
export const FENCES_KEPT_MS = 30_000;

export const LEASE_EXPIRED: Failure = Object.freeze({
  class: "Transient",
  reason: "LeaseExpired",
  message: "the lease expired: the worker stopped, hung or lost its connection",
});

/** How long after its claim a run that ended like this holds off the next claim; 0 = not at all. */
export function floorMs(outcome: Outcome, minIntervalMs: number): number {
  if (outcome.type === "again") return 0;
  const asked = outcome.type === "ok" ? (outcome.notBeforeMs ?? 0) : 0;
  return Math.max(asked, outcome.requested ? minIntervalMs : 0);
}
