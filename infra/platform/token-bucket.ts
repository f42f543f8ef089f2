import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock } from "../../shared/runtime/ports.ts";

export interface TokenRate {
  readonly perSecond: number;
  /** Tokens at once after a rest. */
  readonly burst: number;
}

/** Tokens that come back with time, up to a burst. The bucket may owe: the debt is what the next taker waits for. */
export interface TokenBucket {
  /** Returns for how many ms the bucket would owe if so many were taken now; takes none. */
  debtAfterMs(amount: number): number;
  /** Takes so many, there or not. Returns for how many ms the bucket owes. */
  take(amount: number): number;
}

/** Creates a full bucket. */
export function createTokenBucket(clock: Clock, { perSecond, burst }: TokenRate): TokenBucket {
  let left = burst;
  let refilledAt = clock.now().getTime();
  const debtAfterMs = (amount: number): number => {
    const now = clock.now().getTime();
    // A clock that steps back takes no tokens away.
    left = Math.min(burst, left + (Math.max(0, now - refilledAt) * perSecond) / SECOND);
    refilledAt = now;
    return Math.max(0, ((amount - left) * SECOND) / perSecond);
  };
  return {
    debtAfterMs,
    take: (amount) => {
      const debtMs = debtAfterMs(amount);
      left -= amount;
      return debtMs;
    },
  };
}
