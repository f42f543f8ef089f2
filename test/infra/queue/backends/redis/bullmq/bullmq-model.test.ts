import { afterAll, beforeAll } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { queueModelSuite } from "../../../../../suites/queue-model.ts";
import type { RedisServer } from "../../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { twoProcesses } from "../../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

describeWith(redisMissing())("on Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  queueModelSuite({
    name: "bullmq",
    time: "real",
    atOnce: 40,
    maxLength: 16,
    create: (timing) => {
      const options = { url: redis.url, log: silentLog, timing };
      return twoProcesses(() => createBullmqQueue(options));
    },
  });
});
