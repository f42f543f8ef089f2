import { readFreshness } from "../../../shared/runtime/read/signs.ts";
import { systemClock } from "../../platform/clock.ts";
import { printError } from "../../platform/terminal/print.ts";
import { type QueueSource, redisOf } from "../../queue/queue-source.ts";
import { QUIET } from "../letter-source.ts";

/** Says on standard error, whatever the output is, which watches no longer bring changes to a queue. */
export async function tellSilences(source: QueueSource): Promise<void> {
  const redis = redisOf(source);
  if (redis === undefined) return;
  const { createRedisStore } = await import("../../queue/store/redis.ts");
  await using store = await createRedisStore({ ...redis, log: QUIET });
  const { silences } = await readFreshness(store, systemClock.now());
  for (const { message } of silences) printError(message);
}
