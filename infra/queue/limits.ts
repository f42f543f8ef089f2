import { MINUTE, SECOND } from "../../shared/function/backoff.ts";

/** Numbers that both ledgers share. Durations in ms. */
export interface LedgerLimits {
  /** A resync key that has been ready for this long is treated as live in its tenant's turn. */
  readonly agingMs: number;
  /** Dead keys are forgotten after this time, and the longest dead when there are more than `maxDead`. */
  readonly deadKeptMs: number;
  readonly maxDead: number;
  /** The letter of a dying key must be written within this time; then another process writes it. */
  readonly letterMs: number;
}

export const LEDGER_LIMITS: LedgerLimits = Object.freeze({
  agingMs: MINUTE,
  deadKeptMs: 14 * 24 * 60 * MINUTE,
  maxDead: 10_000,
  letterMs: 10 * SECOND,
});

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
