import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { createRedisLastRuns } from "../../../../infra/queue/redis/redis-last-runs.ts";
import type { LastRun } from "../../../../shared/runtime/last-run.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";

const KEY = "default/c1|Widget|default/w";
const RUN: LastRun = {
  runId: "r1",
  endedAt: "2026-01-01T00:00:00Z",
  durationMs: 3,
  causes: [{ what: "timer" }],
  outcome: "ok",
  wrote: ["patch Widget default/w"],
};

describeWith(redisMissing())("the last runs on Redis", () => {
  it("reach other processes within a second, the newest of a key, and are gone after an hour", async () => {
    await using redis = await startRedis();
    const clock = virtualClock();
    const options = { url: redis.url, clock, log: silentLog };
    await using worker = await createRedisLastRuns(options);
    await using explain = await createRedisLastRuns(options);
    worker.note("f", KEY, { ...RUN, runId: "r0" });
    worker.note("f", KEY, RUN);
    expect(await explain.get("f", KEY)).toBeUndefined();
    await clock.advance(1_000);
    await eventually(async () => expect(await explain.get("f", KEY)).toEqual(RUN), { withinMs: 10_000 });
    expect(await explain.get("g", KEY)).toBeUndefined();

    const raw = new Redis(redis.url);
    const [id = "", ...others] = await raw.keys("*");
    expect(others).toEqual([]);
    expect(await raw.pttl(id)).toBeLessThanOrEqual(3_600_000);
    expect(await raw.pttl(id)).toBeGreaterThan(3_500_000);
    raw.disconnect();
  });

  it("are written when the worker stops, and no run waits for them while Redis is away", async () => {
    await using redis = await startRedis();
    const options = { url: redis.url, clock: virtualClock(), log: silentLog };
    const worker = await createRedisLastRuns(options);
    worker.note("f", KEY, RUN);
    await worker[Symbol.asyncDispose]();
    await using explain = await createRedisLastRuns(options);
    expect(await explain.get("f", KEY)).toEqual(RUN);
    const late = await createRedisLastRuns(options);
    await redis[Symbol.asyncDispose]();
    late.note("f", KEY, RUN);
    await late[Symbol.asyncDispose]();
  });
});
