import type { Redis } from "ioredis";
import { infoField } from "./checks.ts";

/**
 * The server process that answers on a connection, by its run id: another one after every restart and failover, which
 * may have lost the newest of what it was told. Empty while nobody knows.
 */
export type RedisIdentity = () => Promise<string>;

/** Asks now, and again whenever the connection is made anew. Rejects when the server does not say. */
export async function identifyRedis(redis: Redis): Promise<RedisIdentity> {
  const ask = async (): Promise<string> => infoField(await redis.info("server"), "run_id") ?? "";
  let identity = Promise.resolve(await ask());
  redis.on("ready", () => {
    // The server may be away again already; then the next `ready` asks.
    identity = ask().catch(() => "");
  });
  return () => identity;
}
