import { Redis } from "ioredis";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { CHAOS_FUNCTION, queueChaosSuite } from "../../../../../suites/queue-chaos.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const QUEUE = `{cap:${CHAOS_FUNCTION}}:run`;
const WAIT = `${QUEUE}:wait`;
const PRIORITIZED = `${QUEUE}:prioritized`;

async function doubleTokens(redis: Redis): Promise<void> {
  const ids = [...(await redis.lrange(WAIT, 0, -1)), ...(await redis.zrange(PRIORITIZED, "0", "-1"))];
  const jobs = await Promise.all(ids.map((id) => redis.hgetall(`${QUEUE}:${id}`)));
  for (const [index, job] of jobs.entries()) {
    if (job["data"] === undefined) continue;
    const copy = `copy-${ids[index]}-${Math.random()}`;
    await redis.hset(`${QUEUE}:${copy}`, job);
    await redis.rpush(WAIT, copy);
  }
}

describeWith(redisMissing())("the bullmq queue under fire", () => {
  queueChaosSuite({
    name: "bullmq",
    create: async () => {
      const server = await startRedis();
      const queue = await createBullmqQueue({ url: server.url, log: silentLog, resendMs: 300 });
      const redis = new Redis(server.url);
      return {
        queue,
        redisUrl: server.url,
        workerArguments: [],
        loseTokens: async () => void (await redis.del(WAIT, PRIORITIZED)),
        doubleTokens: () => doubleTokens(redis),
        [Symbol.asyncDispose]: async () => {
          redis.disconnect();
          await queue[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  });
});
