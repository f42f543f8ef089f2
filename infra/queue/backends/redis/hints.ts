import type { Hint, Hints } from "../../../../shared/runtime/queue/hints.ts";
import { createFollowers } from "../../hints/followers.ts";
import { parseHint } from "../../hints/parse-hint.ts";
import { connectPatiently, connectRedis, endConnection, type RedisTarget } from "./server/connection.ts";
import { HINTS_CHANNEL } from "./server/hints-channel.ts";
import { isCluster } from "./server/shards.ts";

/**
 * Listens to what ledger, dead letters and read model publish. The time while Redis is away is a gap. Throws when it
 * cannot be reached or evicts data.
 */
export async function openRedisHints(target: RedisTarget): Promise<Hints> {
  const redis = await connectRedis(target);
  const listening = connectPatiently(redis, target);
  const { note, noteGap, follow } = createFollowers();
  listening.redis.on("message", (_channel: string, message: string) => {
    const hint: Hint | undefined = parseHint(message);
    if (hint !== undefined) note(hint);
  });
  await listening.redis.subscribe(HINTS_CHANNEL);
  // A page learns at once that nothing can be read.
  listening.redis.on("close", noteGap);
  // ioredis subscribes again before this event.
  listening.redis.on("ready", noteGap);
  // A connection that only listens would notice neither silence nor a failover.
  redis.on(isCluster(redis) ? "-node" : "close", () => listening.redis.disconnect(true));
  return {
    follow,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([listening[Symbol.asyncDispose](), endConnection(redis)]);
    },
  };
}
