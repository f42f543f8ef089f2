import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisDeletionLimit } from "../../../../../../infra/queue/backends/redis/deletion-limit/deletion-limit.ts";
import { RIGHTS } from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { deletionLimitSuite } from "../../../../../suites/deletion-limit.ts";
import { type VirtualClock, virtualClock } from "../../../../../support/clock.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

describeWith(redisMissing())("the limit of deletions beside a ledger", () => {
  const stack = new AsyncDisposableStack();
  let server: RedisServer;
  let raw: Redis;
  beforeAll(async () => {
    const worker = `user worker on >of-a-test resetchannels ${RIGHTS.worker}`;
    server = stack.use(await startRedis(["maxmemory-policy noeviction", worker]));
    raw = stack.adopt(new Redis(server.url), (redis) => redis.disconnect());
  });
  afterAll(() => stack.disposeAsync());
  const open = async (perHour: number, clock: VirtualClock) => {
    const url = server.url.replace("redis://", "redis://worker:of-a-test@");
    return stack.use(await createRedisDeletionLimit({ url, log: silentLog, clock, perHour }));
  };

  deletionLimitSuite({
    name: "on Redis, as the user of workers",
    create: async (perHour, clock) => {
      await raw.flushall();
      return [await open(perHour, clock), await open(perHour, clock)];
    },
  });

  it("S-33: keeps nothing for longer than an hour, and admits nothing while Redis is away", async () => {
    await raw.flushall();
    const limit = await open(2, virtualClock());
    const node = { cluster: "default/c1", kind: "Node", id: "a" };
    expect(await limit.admit(node)).toBe(true);
    const [key = "", ...more] = await raw.keys("*");
    expect([key, more]).toEqual(["{cap:deletions}:Node:default%2Fc1", []]);
    expect(await raw.pttl(key)).toBeLessThanOrEqual(60 * 60_000);
    await server.kill();
    await expect(limit.admit(node)).rejects.toThrow();
  });
});
