import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";

/**
 * The return of a server after an outage. Its watch loops pause by themselves, for up to 30 s; the first that reaches
 * the server ends the pauses of all (KR-10).
 */
export interface Comeback {
  /** `retry` is called when another loop has reached the server, until the result is called. */
  join(retry: () => void): () => void;
  /** Notes that a loop has reached the server after an outage. */
  reached(): void;
}

/** A server that answers now and then is not asked by all loops at each answer. */
const ONCE_IN_MS = 5 * SECOND;

export function createComeback(clock: Pick<Clock, "now">): Comeback {
  const loops = new Set<() => void>();
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    join(retry) {
      loops.add(retry);
      return () => loops.delete(retry);
    },
    reached() {
      const now = clock.now().getTime();
      // A clock that was set back must not silence it.
      if (Math.abs(now - lastAt) < ONCE_IN_MS) return;
      lastAt = now;
      for (const retry of loops) retry();
    },
  };
}
