import type { Redis } from "ioredis";
import { infoField } from "./checks.ts";
import { ownerOf } from "./cluster.ts";
import { isCluster, nodeAt, type RedisConnection } from "./shards.ts";

/**
 * Returns the run id of the server process that answers for a key: it is another one after every restart and failover,
 * which may have lost the newest writes. Empty while it is unknown.
 */
export type RedisIdentity = (key: string) => Promise<string>;

/** Asks now, and again after every reconnect. Rejects when the server does not answer. */
export async function identifyRedis(redis: RedisConnection): Promise<RedisIdentity> {
  if (isCluster(redis)) {
    // A node that was away is another connection.
    const known = new WeakMap<Redis, Promise<string>>();
    return async (key) => {
      const node = nodeAt(redis, ownerOf(redis, key));
      if (node === undefined) return "";
      const asked = known.get(node) ?? askRunId(node);
      known.set(node, asked);
      return asked.catch(() => {
        known.delete(node);
        return "";
      });
    };
  }
  let identity = Promise.resolve(await askRunId(redis));
  redis.on("ready", () => {
    // The server may already be away again; then the next `ready` asks.
    identity = askRunId(redis).catch(() => "");
  });
  return () => identity;
}

async function askRunId(redis: Redis): Promise<string> {
  return infoField(await redis.info("server"), "run_id") ?? "";
}
