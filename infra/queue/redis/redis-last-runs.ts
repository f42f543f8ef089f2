import type { Redis } from "ioredis";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import type { LastRun, LastRuns } from "../../../shared/runtime/last-run.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { connectRedis, endConnection, type RedisTarget } from "../../redis/connection.ts";
import { checkFunctionName } from "../function-name.ts";

export interface RedisLastRunsOptions extends RedisTarget {
  readonly clock: Clock;
}

/** Notes are written together: a run costs no round trip, and a key that runs often one write per flush. */
const FLUSH_MS = SECOND;
/** Runs between two flushes; of more runs the oldest are not kept. */
const MAX_PENDING = 5_000;
/** Several times the period of a resync, after which every key has run again. */
const KEPT_MS = 60 * MINUTE;

/**
 * Keeps the last runs of all workers, keys `{cap:<function>}:last:<key>`, each for an hour after its run: some 500
 * bytes per function and key. Written once a second. While Redis is away notes are lost; no run waits for them. Throws
 * when Redis cannot be reached at the start.
 */
export async function createRedisLastRuns({ clock, ...target }: RedisLastRunsOptions): Promise<LastRuns> {
  const redis = await connectRedis(target);
  const { log } = target;
  let pending = new Map<string, LastRun>();
  let cancelFlush: (() => void) | undefined;
  const flush = async (): Promise<void> => {
    cancelFlush?.();
    cancelFlush = undefined;
    const runs = pending;
    pending = new Map();
    await writeAll(redis, runs).catch((error: unknown) => {
      log.debug(
        { runs: runs.size, error: String(error) },
        "Redis did not take the notes of the last runs; they are lost",
      );
    });
  };
  return {
    note(functionName, key, run) {
      const id = redisKey(functionName, key);
      pending.delete(id);
      pending.set(id, run);
      const [oldest] = pending.keys();
      if (pending.size > MAX_PENDING && oldest !== undefined) pending.delete(oldest);
      cancelFlush ??= clock.after(FLUSH_MS, () => void flush());
    },
    get: async (functionName, key) => {
      const text = await redis.get(redisKey(functionName, key));
      return text === null ? undefined : (JSON.parse(text) as LastRun);
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      await endConnection(redis);
    },
  };
}

/** Returns a Redis key in the slot of the function's ledger. */
function redisKey(functionName: string, key: string): string {
  return `{cap:${checkFunctionName(functionName)}}:last:${key}`;
}

async function writeAll(redis: Redis, runs: ReadonlyMap<string, LastRun>): Promise<void> {
  if (runs.size === 0) return;
  const pipeline = redis.pipeline();
  for (const [id, run] of runs) pipeline.set(id, JSON.stringify(run), "PX", KEPT_MS);
  await pipeline.exec();
}
