import { afterAll, beforeAll } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { killedWorkersSuite } from "../../../../../suites/killed-workers.ts";
import { queueSuite } from "../../../../../suites/queue.ts";
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

  queueSuite({
    name: "bullmq",
    concurrent: true,
    create: (own) => {
      const options = { url: redis.url, log: silentLog, ...own };
      return twoProcesses(() => createBullmqQueue(options));
    },
  });

  killedWorkersSuite((own) => createBullmqQueue({ url: redis.url, log: silentLog, ...own }));
});
