import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../../../../../infra/platform/clock.ts";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createRecorder } from "../../../../../../infra/queue/letters/recorder.ts";
import { DEFAULT_QUEUE } from "../../../../../../shared/function/backoff.ts";
import { deadLettersSuite } from "../../../../../suites/dead-letters.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { deadLetter, POOL_KEY } from "../../../../../support/letters.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";
import { twoDeadLetters } from "../../../../../support/two-dead-letters.ts";

describeWith(redisMissing())("on Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  async function create() {
    const admin = new Redis(redis.url);
    await admin.flushall();
    const two = await twoDeadLetters(redis.url);
    return {
      ...two,
      admin,
      [Symbol.asyncDispose]: async () => {
        await two[Symbol.asyncDispose]();
        admin.disconnect();
      },
    };
  }

  deadLettersSuite({ name: "Redis", create });

  it("keeps every key of a function in its slot, and lets all of them expire", async () => {
    await using world = await create();
    await world.deadLetters.put(deadLetter());
    const keys = (await world.admin.keys("{cap:machinepool-status}:*")).sort((a, b) => (a < b ? -1 : 1));
    expect(keys).toEqual(
      ["heads", "letters", "order", "times"].map((name) => `{cap:machinepool-status}:d:${name}`),
    );
    for (const key of keys) expect(await world.admin.pttl(key)).toBeGreaterThan(0);
  });

  it("leaves out what another program has put there", async () => {
    await using world = await create();
    await world.deadLetters.put(deadLetter());
    await world.admin.sadd("{cap:dead-letters}:functions", "no}name", "x".repeat(10_000));
    await world.admin.hset("{cap:machinepool-status}:d:heads", "a", "not json", "b", '{"v":1}');
    expect(await world.deadLetters.list()).toHaveLength(1);
    await world.admin.hset("{cap:machinepool-status}:d:letters", "c", '{"__proto__":{}}');
    await expect(world.deadLetters.get({ function: "machinepool-status", key: "c" })).rejects.toThrow(
      /__proto__/,
    );
    await expect(world.deadLetters.list("no}name")).rejects.toThrow(/function name/);
  });

  it("Q-13: get a letter of a key whose worker hangs or was killed, with what is known", async () => {
    await using world = await create();
    const { deadLetters } = world;
    await using stack = new AsyncDisposableStack();
    const recorder = stack.use(
      createRecorder({ deadLetters, functions: [], clock: systemClock, log: silentLog }),
    );
    const queue = stack.use(
      await createBullmqQueue({
        url: redis.url,
        log: silentLog,
        noteFailure: recorder.noteFailure,
        timing: { leaseMs: 300, renewMs: 60_000, drainMs: 100 },
      }),
    );
    const at = { function: "machinepool-status", key: POOL_KEY };
    const options = { ...DEFAULT_QUEUE, attempts: 2, owner: "w" };
    await queue.work(at.function, options, () => new Promise(() => undefined));
    await queue.enqueue(at.function, [{ key: at.key, priority: "live" }]);
    await eventually(
      async () =>
        expect(await world.deadLetters.get(at)).toMatchObject({
          reason: "LeaseExpired",
          class: "live",
          attempts: expect.arrayContaining([
            expect.objectContaining({ failures: 2, owner: expect.stringMatching("^w/") }),
          ]),
        }),
      { withinMs: 15_000, stepMs: 50 },
    );
  });
});
