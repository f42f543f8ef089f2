import type { Clock } from "../../shared/runtime/ports.ts";
import { SAMPLE_EVERY_MS, SAMPLES_KEPT, type Samples } from "../../shared/runtime/samples.ts";
import { checkFunctionName } from "../queue/function-name.ts";
import { connectRedis, endConnection, type RedisTarget } from "../redis/connection.ts";
import { rowOf, sampleOf } from "./sample-row.ts";

const HOUR_MS = SAMPLES_KEPT * SAMPLE_EVERY_MS;

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
      const key = keyOf(name);
      const field = (sample.at / SAMPLE_EVERY_MS) % SAMPLES_KEPT;
      await redis.multi().hset(key, String(field), rowOf(sample).join(" ")).pexpire(key, HOUR_MS).exec();
    },
    read: async (name) => {
      const oldest = clock.now().getTime() - HOUR_MS;
      const rows = Object.values(await redis.hgetall(keyOf(name)));
      return rows
        .flatMap((text) => sampleOf(text.split(" ").map(Number)) ?? [])
        .filter(({ at }) => at > oldest)
        .sort((a, b) => a.at - b.at);
    },
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}

function keyOf(functionName: string): string {
  return `{cap:${checkFunctionName(functionName)}}:samples`;
}
