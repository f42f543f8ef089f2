import { afterAll, beforeAll } from "vitest";
import { queueModelSuite } from "../../../../../suites/queue-model.ts";
import { openLuaQueues } from "../../../../../support/lua-queue.ts";
import type { RedisServer } from "../../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { NO_JITTER } from "../../../naive-ledger.ts";

/** Beyond every sequence: time moves on where the model says so. */
const NEVER_MS = 365 * 24 * 3_600_000;

describeWith(redisMissing())("on the scripts of Redis, in virtual time", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  queueModelSuite({
    name: "lua",
    time: "virtual",
    unordered: true,
    atOnce: 1,
    maxLength: 50,
    create: (timing) => openLuaQueues({ url: redis.url, timing, tickMs: NEVER_MS, limits: NO_JITTER }),
  });
});
