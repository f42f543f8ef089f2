import type { Clock } from "../../../../shared/runtime/ports.ts";
import {
  SAMPLE_EVERY_MS,
  SAMPLES_KEPT,
  SAMPLES_KEPT_MS,
  type Samples,
} from "../../../../shared/runtime/queue/samples.ts";
import { checkFunctionName } from "../../function-name.ts";
import { rowOf, sampleOf } from "../../samples/sample-row.ts";
import { connectRedis, endConnection, type RedisTarget } from "./server/connection.ts";
import { functionTag, type RedisConnection } from "./server/shards.ts";

interface RedisSamplesOptions extends RedisTarget {
  readonly clock: Clock;
}

/**
 * Samples beside the ledger: a hash of 360 fields per function, `{cap:<function>}:samples`, which later rows overwrite.
 * Calls reject while Redis is away. Throws when it cannot be reached or evicts data.
 */
export async function createRedisSamples({ clock, ...target }: RedisSamplesOptions): Promise<Samples> {
  const redis = await connectRedis(target);
  return {
    note: async (name, sample) => {
      const key = keyOf(redis, name);
      const field = (sample.at / SAMPLE_EVERY_MS) % SAMPLES_KEPT;
      await redis
        .multi()
        .hset(key, String(field), rowOf(sample).join(" "))
        .pexpire(key, SAMPLES_KEPT_MS)
        .exec();
    },
    read: async (name, lastMs = SAMPLES_KEPT_MS) => {
      const now = clock.now().getTime();
      const oldest = now - lastMs;
      const rows = await redis.hmget(keyOf(redis, name), ...fieldsSince(oldest, now));
      return rows
        .flatMap((text) => sampleOf((text ?? "").split(" ").map(Number)) ?? [])
        .filter(({ at }) => at > oldest)
        .sort((a, b) => a.at - b.at);
    },
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

/** One more than have passed: the clock of the process that notes may be ahead. */
function fieldsSince(fromMs: number, nowMs: number): readonly string[] {
  const newest = Math.floor(nowMs / SAMPLE_EVERY_MS) + 1;
  const count = Math.min(SAMPLES_KEPT, newest - Math.floor(fromMs / SAMPLE_EVERY_MS));
  return Array.from({ length: count }, (_, at) => String((newest - at) % SAMPLES_KEPT));
}

function keyOf(redis: RedisConnection, functionName: string): string {
  return `${functionTag(checkFunctionName(functionName), redis)}:samples`;
}
