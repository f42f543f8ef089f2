import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createRedisRunHistory } from "../../../../../../infra/queue/backends/redis/history/history.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { deadLettersSuite } from "../../../../../suites/dead-letters.ts";
import { killedWorkersSuite } from "../../../../../suites/killed-workers.ts";
import { queueSuite } from "../../../../../suites/queue.ts";
import { runHistorySuite } from "../../../../../suites/run-history.ts";
import { storeSuite } from "../../../../../suites/store.ts";
import { virtualClock } from "../../../../../support/clock.ts";
import {
  LAST_SLOT,
  type RedisShards,
  startClusterNode,
  startShards,
} from "../../../../../support/processes/redis-cluster.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { twoProcesses } from "../../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";
import { twoDeadLetters } from "../../../../../support/two-dead-letters.ts";

async function startOneNode(): Promise<Omit<RedisShards, "replicas">> {
  const node = await startClusterNode(LAST_SLOT);
  return { url: node.url, primaries: [node], [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() };
}

for (const [what, start, slots] of [
  ["one node", startOneNode, 1],
  ["three shards", () => startShards(3), 16],
] as const)
  describeWith(redisMissing())(`on a Redis Cluster of ${what}`, () => {
    let redis: Omit<RedisShards, "replicas">;
    beforeAll(async () => {
      redis = await start();
    });
    afterAll(() => redis[Symbol.asyncDispose]());
    const empty = async (): Promise<void> => {
      for (const { url } of redis.primaries) {
        const admin = new Redis(url);
        await admin.flushall();
        admin.disconnect();
      }
    };

    queueSuite({
      name: "bullmq",
      concurrent: true,
      create: (own) => twoProcesses(() => createBullmqQueue({ url: redis.url, log: silentLog, ...own })),
    });

    killedWorkersSuite((own) => createBullmqQueue({ url: redis.url, log: silentLog, ...own }));

    storeSuite({
      name: "redis",
      create: (kindOf) => createRedisStore({ url: redis.url, kindOf, log: silentLog }),
    });

    describe("when it is empty", () => {
      deadLettersSuite({
        name: "Redis",
        create: async () => {
          await empty();
          return twoDeadLetters(redis.url);
        },
      });

      runHistorySuite({
        name: "on Redis",
        slots,
        create: async (maxBytes) => {
          await empty();
          const clock = virtualClock();
          const open = () => createRedisRunHistory({ url: redis.url, clock, log: silentLog, maxBytes });
          const [history, other] = await Promise.all([open(), open()]);
          return {
            history,
            clock,
            read: async (...at) => {
              await clock.advance(1_000);
              // Commands of one connection are answered in their order; the first call of a script is sent twice.
              for (let id = 0; id < 30; id += 1) await history.runs("f", `none ${id}`);
              return other.runs(...at);
            },
            [Symbol.asyncDispose]: async () => {
              await Promise.all([history[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
            },
          };
        },
      });
    });
  });

describeWith(redisMissing())("a Redis Cluster with slots that no node owns", () => {
  it("is refused at the start, with a way out", async () => {
    await using redis = await startClusterNode(LAST_SLOT - 1);
    await expect(createBullmqQueue({ url: redis.url, log: silentLog })).rejects.toThrow(
      /cannot use Redis at redis:\/\/127.*: its Redis Cluster serves 16383 of 16384 slots; .*without cluster mode/,
    );
  });
});
