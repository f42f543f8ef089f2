import { afterAll, beforeAll } from "vitest";
import type { RedisServer } from "../../../../infra/bench/redis-server.ts";
import { redisMissing, startRedis } from "../../../../infra/bench/redis-server.ts";
import { createBullmqQueue } from "../../../../infra/queue/bullmq/bullmq.ts";
import { queueModelSuite } from "../../../suites/queue-model.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { twoProcesses } from "../../../support/two-processes.ts";

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
