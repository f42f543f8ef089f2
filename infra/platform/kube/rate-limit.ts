import type { Clock } from "../../../shared/runtime/ports.ts";
import { createTokenBucket } from "../token-bucket.ts";

/** How many requests one process sends to one API server. */
export interface RequestRate {
  readonly requestsPerSecond: number;
  /** Requests at once after a rest. */
  readonly burst: number;
}

/** Returns the given parts of a rate; the others keep their defaults. */
export function givenRate(
  requestsPerSecond: number | undefined,
  burst: number | undefined,
): Partial<RequestRate> {
  return {
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(burst === undefined ? {} : { burst }),
  };
}

/** Gives turns to the requests to one API server (KC-09). Watches are exempt. */
export interface RateLimit {
  /**
   * Waits for a turn. Returns false at once, without using up a turn, when it would come after `deadlineAt` (ms since
   * epoch).
   */
  turn(deadlineAt: number): Promise<boolean>;
  /** The server asked for a pause (Retry-After): no request gets a turn for this long. */
  pause(forMs: number): void;
}

/** Creates a rate limit: turns are saved up while it is idle, and requests that wait form a queue. */
export function createRateLimit(clock: Clock, { requestsPerSecond, burst }: RequestRate): RateLimit {
  const bucket = createTokenBucket(clock, { perSecond: requestsPerSecond, burst });
  let pausedUntil = 0;

  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

  return {
    async turn(deadlineAt) {
      const now = clock.now().getTime();
      const dueAt = now + bucket.debtAfterMs(1);
      if (Math.max(dueAt, pausedUntil) > deadlineAt) return false;
      bucket.take(1);
      if (dueAt > now) await wait(dueAt - now);
      for (
        let left = pausedUntil - clock.now().getTime();
        left > 0;
        left = pausedUntil - clock.now().getTime()
      ) {
        if (pausedUntil > deadlineAt) return false;
        await wait(left);
      }
      return true;
    },
    pause(forMs) {
      pausedUntil = Math.max(pausedUntil, clock.now().getTime() + forMs);
    },
  };
}
