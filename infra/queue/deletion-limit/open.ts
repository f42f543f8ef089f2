import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { DeletionLimit } from "../../../shared/runtime/write/deletion-limit.ts";
import type { RedisAddress } from "../redis-server/connection.ts";

export interface DeletionLimitOptions {
  /** Absent: every process counts for itself, in memory. */
  readonly redis: RedisAddress | undefined;
  /** Infinity: no limit. */
  readonly perHour?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the limit of `--max-deletions-per-hour`. Returns undefined where there is none. */
export async function openDeletionLimit(
  { redis, perHour = Number.POSITIVE_INFINITY, clock, log }: DeletionLimitOptions,
  starting: AsyncDisposableStack,
): Promise<DeletionLimit | undefined> {
  if (perHour === Number.POSITIVE_INFINITY) return undefined;
  if (redis === undefined) {
    const { createMemoryDeletionLimit } = await import("./memory.ts");
    return createMemoryDeletionLimit(perHour, clock);
  }
  const { createRedisDeletionLimit } = await import("./redis.ts");
  return starting.use(await createRedisDeletionLimit({ ...redis, clock, log, perHour }));
}
