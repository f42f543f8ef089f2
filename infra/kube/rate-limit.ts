import type { Clock } from "../../shared/runtime/ports.ts";

/** How many requests one process sends to one API server. */
export interface RequestRate {
  readonly requestsPerSecond: number;
  /** So many at once after a rest. */
  readonly burst: number;
}

/** What of a rate is given; the rest keeps its default. */
export function givenRate(
  requestsPerSecond: number | undefined,
  burst: number | undefined,
): Partial<RequestRate> {
  return {
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(burst === undefined ? {} : { burst }),
  };
}

/** Requests to one API server take turns here (KC-09). Watches do not. */
export interface RateLimit {
  /**
   * Waits for a turn. False at once when it would not come before `deadlineAt` (ms since epoch); nothing is used up then.
   */
  turn(deadlineAt: number): Promise<boolean>;
  /** The server asked for a pause (Retry-After): nobody gets a turn for this long. */
  pause(forMs: number): void;
}

/** Token bucket: turns are saved up while idle. */
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
      // The bucket may owe: the debt is the length of the queue in front of the next one who asks.
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
