import type { Redis } from "ioredis";
import { infoField } from "./checks.ts";

/**
 * Returns the run id of the server process that answers on a connection: it is another one after every restart and
 * failover, which may have lost the newest writes. Empty while it is unknown.
 */
export type RedisIdentity = () => Promise<string>;

/** Asks now, and again after every reconnect. Rejects when the server does not answer. */
export async function identifyRedis(redis: Redis): Promise<RedisIdentity> {
  const ask = async (): Promise<string> => infoField(await redis.info("server"), "run_id") ?? "";
  let identity = Promise.resolve(await ask());
  redis.on("ready", () => {
    // The server may already be away again; then the next `ready` asks.
    identity = ask().catch(() => "");
  });
  return () => identity;
}
