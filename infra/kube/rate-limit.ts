import type { Clock } from "../../shared/runtime/ports.ts";

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

/** Creates a token bucket: turns are saved up while it is idle. */
export function createRateLimit(clock: Clock, { requestsPerSecond, burst }: RequestRate): RateLimit {
  let tokens = burst;
  let refilledAt = clock.now().getTime();
  let pausedUntil = 0;

  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));

  return {
    async turn(deadlineAt) {
      const now = clock.now().getTime();
      tokens = Math.min(burst, tokens + (Math.max(0, now - refilledAt) * requestsPerSecond) / 1_000);
      refilledAt = now;
      // The bucket may owe: the debt is the length of the queue in front of the next request.
      const dueAt = now + Math.max(0, ((1 - tokens) * 1_000) / requestsPerSecond);
      if (Math.max(dueAt, pausedUntil) > deadlineAt) return false;
      tokens -= 1;
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
