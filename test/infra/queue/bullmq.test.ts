import { afterAll, beforeAll } from "vitest";
import type { RedisServer } from "../../../infra/bench/redis-server.ts";
import { redisMissing, startRedis } from "../../../infra/bench/redis-server.ts";
import { createBullmqQueue } from "../../../infra/queue/bullmq.ts";
import { queueSuite } from "../../suites/queue.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

describeWith(redisMissing())("on Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  queueSuite({
    name: "bullmq",
    concurrent: true,
    create: async (timing = {}) => {
      const options = { url: redis.url, log: silentLog, timing };
      const [queue, other] = await Promise.all([createBullmqQueue(options), createBullmqQueue(options)]);
      return {
        queue,
        other,
        [Symbol.asyncDispose]: async () => {
          await Promise.all([queue[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
        },
      };
    },
  });
});
