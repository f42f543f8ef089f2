import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { deadLettersSuite } from "../../../../../suites/dead-letters.ts";
import { queueSuite } from "../../../../../suites/queue.ts";
import { storeSuite } from "../../../../../suites/store.ts";
import { LAST_SLOT, startClusterNode } from "../../../../../support/processes/redis-cluster.ts";
import type { RedisServer } from "../../../../../support/processes/redis-server.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { twoProcesses } from "../../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";
import { twoDeadLetters } from "../../../../../support/two-dead-letters.ts";

describeWith(redisMissing())("on a Redis Cluster of one node", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startClusterNode(LAST_SLOT);
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  queueSuite({
    name: "bullmq",
    concurrent: true,
    create: (own) => twoProcesses(() => createBullmqQueue({ url: redis.url, log: silentLog, ...own })),
  });

  storeSuite({
    name: "redis",
    create: (kindOf) => createRedisStore({ url: redis.url, kindOf, log: silentLog }),
  });
});

describeWith(redisMissing())("on a Redis Cluster of one node of its own", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startClusterNode(LAST_SLOT);
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  deadLettersSuite({
    name: "Redis",
    create: async () => {
      const admin = new Redis(redis.url);
      await admin.flushall();
      admin.disconnect();
      return twoDeadLetters(redis.url);
    },
  });
});

describeWith(redisMissing())("one of several nodes of a Redis Cluster", () => {
  it("is refused at the start, with a way out", async () => {
    await using redis = await startClusterNode(LAST_SLOT - 1);
    await expect(createBullmqQueue({ url: redis.url, log: silentLog })).rejects.toThrow(
      /cannot use Redis at redis:\/\/127.*: it is one of several nodes of a Redis Cluster.*one shard/,
    );
  });
});
