import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisRunHistory } from "../../../../../../infra/queue/backends/redis/history/history.ts";
import { runHistorySuite } from "../../../../../suites/run-history.ts";
import { virtualClock } from "../../../../../support/clock.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { writingRun } from "../../../../../support/run-entries.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const KEY = "default/c1|Widget|default/w";
const MAX_BYTES = 1_000_000;

describeWith(redisMissing())("the run history beside a ledger", () => {
  let server: RedisServer;
  let raw: Redis;
  beforeAll(async () => {
    server = await startRedis();
    raw = new Redis(server.url);
  });
  afterAll(async () => {
    raw.disconnect();
    await server[Symbol.asyncDispose]();
  });
  const open = (maxBytes = MAX_BYTES, clock = virtualClock()) =>
    createRedisRunHistory({ url: server.url, clock, log: silentLog, maxBytes });
  const bytesNoted = async () => Number(await raw.get("{cap:history}:bytes"));

  runHistorySuite({
    name: "on Redis",
    create: async (maxBytes) => {
      await raw.flushall();
      const clock = virtualClock();
      const [history, other] = [await open(maxBytes, clock), await open(maxBytes, clock)];
      return {
        history,
        clock,
        read: async (...which) => {
          await clock.advance(1_000);
          // Commands of one connection are answered in their order; the first call of a script is sent twice.
          for (const id of ["none", "neither"]) await history.runs("f", id);
          return other.runs(...which);
        },
        [Symbol.asyncDispose]: async () => {
          await history[Symbol.asyncDispose]();
          await other[Symbol.asyncDispose]();
        },
      };
    },
  });

  it("is written once a second and when the worker stops, and holds up no run while Redis is away", async () => {
    await raw.flushall();
    const clock = virtualClock();
    await using reader = await open();
    const worker = await open(MAX_BYTES, clock);
    worker.note("f", KEY, writingRun(clock.now(), "r1"));
    worker.note("f", KEY, writingRun(clock.now(), "r2"));
    await clock.advance(999);
    expect(await reader.runs("f", KEY)).toEqual([]);
    await clock.advance(1);
    await eventually(async () => expect(await reader.runs("f", KEY)).toHaveLength(2), { withinMs: 10_000 });
    worker.note("f", KEY, writingRun(clock.now(), "r3"));
    await worker[Symbol.asyncDispose]();
    expect((await reader.runs("f", KEY)).map(({ runId }) => runId)).toEqual(["r3", "r2", "r1"]);

    await using away = await startRedis();
    const late = await createRedisRunHistory({
      url: away.url,
      clock,
      log: silentLog,
      maxBytes: MAX_BYTES,
    });
    await away[Symbol.asyncDispose]();
    late.note("f", KEY, writingRun(clock.now(), "r4"));
    await late[Symbol.asyncDispose]();
  });

  it("knows what it holds: every key of it expires, and what is removed is not counted", async () => {
    await raw.flushall();
    const clock = virtualClock();
    const keys = Array.from({ length: 60 }, (_, at) => `default/c1|Widget|default/w${at}`);
    const noteAll = async (maxBytes: number): Promise<void> => {
      await using worker = await open(maxBytes, clock);
      for (const key of keys) worker.note("f", key, writingRun(clock.now(), "r1"));
    };
    await noteAll(MAX_BYTES);
    const [rings, bytes] = [await raw.zcard("{cap:history}:rings"), await bytesNoted()];
    expect(rings).toBe(keys.length);
    for (const id of await raw.keys("*")) {
      expect(id).toMatch(/^\{cap:history\}:/);
      expect(await raw.pttl(id)).toBeGreaterThan(23 * 3_600_000);
      expect(await raw.pttl(id)).toBeLessThanOrEqual(24 * 3_600_000);
    }
    await noteAll(bytes / 2);
    expect(await raw.zcard("{cap:history}:rings")).toBeLessThan(rings);
    expect(await bytesNoted()).toBeLessThanOrEqual(bytes / 2);
    // A day later all of it has expired, and the keys that were noted then are the only ones.
    await clock.advance(25 * 3_600_000);
    keys.splice(1);
    await noteAll(MAX_BYTES);
    expect(await raw.zcard("{cap:history}:rings")).toBe(1);
    expect(await bytesNoted()).toBeLessThan((2 * bytes) / rings);
    // A part was removed by hand.
    await raw.del("{cap:history}:rings");
    await noteAll(100);
    expect(await bytesNoted()).toBe(0);
  });
});
