import { afterAll, beforeAll } from "vitest";
import type { RedisServer } from "../../../../infra/bench/redis-server.ts";
import { redisMissing, startRedis } from "../../../../infra/bench/redis-server.ts";
import { createBullmqQueue } from "../../../../infra/queue/bullmq/bullmq.ts";
import { killedWorkersSuite } from "../../../suites/killed-workers.ts";
import { queueSuite } from "../../../suites/queue.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { twoProcesses } from "../../../support/two-processes.ts";

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
