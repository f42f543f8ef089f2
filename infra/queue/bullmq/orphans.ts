import type { Redis } from "ioredis";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";

const REAP_EVERY_MS = MINUTE;

export interface OrphanOptions {
  readonly queue: { removeOrphanedJobs(): Promise<number> };
  readonly redis: Redis;
  readonly prefix: string;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/**
 * Removes jobs that a partial loss of data has left without a place in any list, so that no worker would ever take
 * them: now, and every minute. A search reads all keys of Redis, so of all processes at most two search in
 * the same minute. Returns a function that stops it.
 */
export function reapOrphans({ queue, redis, prefix, clock, onError }: OrphanOptions): () => void {
  const reaped = `${prefix}:t:reaped`;
  let stopped = false;
  let cancel = (): void => undefined;
  const reap = async (): Promise<void> => {
    while (!stopped && (await queue.removeOrphanedJobs()) > 0);
  };
  const reapInTurn = async (): Promise<void> => {
    // Shorter than the period of this process: alone, it must not prevent its own next search.
    const mine = await redis.set(reaped, "1", "PX", REAP_EVERY_MS / 2, "NX");
    if (mine !== null) await reap();
  };
  const later = (): void => {
    if (stopped) return;
    cancel = clock.after(REAP_EVERY_MS, () => void reapInTurn().catch(onError).finally(later));
  };
  void reap().catch(onError).finally(later);
  return () => {
    stopped = true;
    cancel();
  };
}
