import { readFile } from "node:fs/promises";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import { type DeletionLimit, LIMIT_WINDOW_MS } from "../../../../../shared/runtime/write/deletion-limit.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";

export interface RedisDeletionLimitOptions extends RedisTarget {
  readonly clock: Pick<Clock, "now">;
  readonly perHour: number;
}

/** The limit of all workers, keys `{cap:deletions}:*`. Throws when Redis cannot be reached at the start. */
export async function createRedisDeletionLimit({
  clock,
  perHour,
  ...target
}: RedisDeletionLimitOptions): Promise<DeletionLimit & AsyncDisposable> {
  const redis = await connectRedis(target);
  const lua = await readFile(new URL("lua/admit.lua", import.meta.url), "utf8");
  return {
    perHour,
    async admit({ cluster, kind, id }) {
      const key = `{cap:deletions}:${kind}:${encodeURIComponent(cluster)}`;
      return (await redis.eval(lua, 1, key, clock.now().getTime(), LIMIT_WINDOW_MS, perHour, id)) === 1;
    },
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}
