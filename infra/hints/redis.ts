import { SECOND } from "../../shared/function/backoff.ts";
import type { Hint, Hints } from "../../shared/runtime/hints.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import { connectPatiently, connectRedis, endConnection, type RedisTarget } from "../redis/connection.ts";
import { HINTS_CHANNEL } from "../redis/hints-channel.ts";
import { createFollowers } from "./followers.ts";
import { parseHint } from "./parse-hint.ts";

/** A connection that only listens would not notice that the server is away. Below the limit of silence of a connection. */
const PING_EVERY_MS = 5 * SECOND;

interface RedisHintsOptions extends RedisTarget {
  readonly clock: Clock;
}

/**
 * Listens to what ledger, dead letters and read model publish. The time while Redis is away is a gap. Throws when it
 * cannot be reached or evicts data.
 */
export async function openRedisHints({ clock, ...target }: RedisHintsOptions): Promise<Hints> {
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
  let cancel = (): void => undefined;
  const pingLater = (): void => {
    cancel = clock.after(PING_EVERY_MS, () => {
      listening.redis.ping().catch(() => undefined);
      pingLater();
    });
  };
  pingLater();
  return {
    follow,
    [Symbol.asyncDispose]: async () => {
      cancel();
      await Promise.all([listening[Symbol.asyncDispose](), endConnection(redis)]);
    },
  };
}
