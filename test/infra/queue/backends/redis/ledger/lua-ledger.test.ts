import { afterAll, beforeAll } from "vitest";
import { queueSuite } from "../../../../../suites/queue.ts";
import { openLuaQueues } from "../../../../../support/lua-queue.ts";
import type { RedisServer } from "../../../../../support/processes/redis-server.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";

describeWith(redisMissing())("on the scripts of Redis, in virtual time", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  queueSuite({
    name: "lua",
    concurrent: false,
    create: (own) => openLuaQueues({ url: redis.url, ...own }),
  });
});
