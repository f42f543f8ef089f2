import { MINUTE, SECOND } from "../../shared/function/backoff.ts";

/** Numbers of the ledger. Durations in ms. */
export interface LedgerLimits {
  /** A resync key that has been ready for this long is treated as live in its tenant's turn. */
  readonly agingMs: number;
  /** When there are more dead keys than this, the one that would be tried next is forgotten. */
  readonly maxDead: number;
  /** The letter of a dying key must be written within this time; then another process writes it. */
  readonly letterMs: number;
  /** The slow lane: a dead key is tried again so long after its last attempt, drawn each time, for ever. */
  readonly slowMinMs: number;
  readonly slowMaxMs: number;
  /** Attempts of dead keys of a function at a time, and that begin in a second. */
  readonly slowAtOnce: number;
  readonly slowPerSecond: number;
}

export const LEDGER_LIMITS: LedgerLimits = Object.freeze({
  agingMs: MINUTE,
  maxDead: 10_000,
  letterMs: 10 * SECOND,
  slowMinMs: 10 * MINUTE,
  slowMaxMs: 15 * MINUTE,
  slowAtOnce: 2,
  slowPerSecond: 5,
});

/**
 * Doubled with the age of the key. BullMQ rarely loses a token; SQS keeps one invisible for twice the lease whose receiver
 * was killed before its claim. A copy costs one claim.
 */
export const RESEND_MS = 5 * SECOND;

/**
 * The breaker of a function: open while more than half of at least `minRuns` runs failed, counted over
 * the current and the five intervals before it; then one claim per `claimEveryMs`.
 */
export const BREAKER = Object.freeze({
  intervalMs: 10 * SECOND,
  intervals: 6,
  minRuns: 20,
  claimEveryMs: SECOND,
});

/** Keys on one page for people, and how many keys are looked at for a page of one tenant. */
export const MAX_PAGE = 200;
export const LOOKED_AT = 1_000;
