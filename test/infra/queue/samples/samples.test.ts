import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { createMemorySamples } from "../../../../infra/queue/backends/embedded/samples.ts";
import { createRedisSamples } from "../../../../infra/queue/backends/redis/samples.ts";
import { startSampling } from "../../../../infra/queue/samples/sample-queue.ts";
import { DEFAULT_QUEUE } from "../../../../shared/function/backoff.ts";
import { NO_RUNS, runsIn } from "../../../../shared/runtime/queue/run-counts.ts";
import {
  ALL_FUNCTIONS,
  SAMPLE_EVERY_MS,
  SAMPLES_KEPT,
  type Samples,
} from "../../../../shared/runtime/queue/samples.ts";
import { live, OK } from "../../../suites/queue-world.ts";
import { type VirtualClock, virtualClock } from "../../../support/clock.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";

const NAME = "machine-status";

function samplesSuite(name: string, create: (clock: VirtualClock) => Promise<Samples>): void {
  describe(`${name} samples`, () => {
    it("keep a row per 10 s of the last hour, oldest first; the last of an instant wins", async () => {
      const clock = virtualClock();
      await using samples = await create(clock);
      const first = Math.ceil(clock.now().getTime() / SAMPLE_EVERY_MS) * SAMPLE_EVERY_MS;
      const sampleAt = (n: number) => ({
        at: first + n * SAMPLE_EVERY_MS,
        ready: n,
        waiting: 2,
        running: 3,
        dead: 4,
        oldestReadyMs: 5,
        failures: 6,
        durations: NO_RUNS.durations.map((_, group) => n + group),
      });
      await clock.advance(first - clock.now().getTime());
      expect(await samples.read(NAME)).toEqual([]);
      await samples.note(NAME, { ...sampleAt(0), ready: 99 });
      for (let n = 0; n < SAMPLES_KEPT + 5; n += 1) {
        if (n > 0) await clock.advance(SAMPLE_EVERY_MS);
        if (n !== 100) await samples.note(NAME, sampleAt(n));
        if (n === 0) expect(await samples.read(NAME)).toEqual([sampleAt(0)]);
      }
      const kept = await samples.read(NAME);
      expect(kept).toHaveLength(SAMPLES_KEPT - 1);
      expect(kept[0]).toEqual(sampleAt(5));
      expect(kept.at(-1)).toEqual(sampleAt(SAMPLES_KEPT + 4));
      const newest = await samples.read(NAME, 7 * SAMPLE_EVERY_MS);
      expect(newest.map(({ ready }) => ready)).toEqual(kept.slice(-7).map(({ ready }) => ready));
      await clock.advance(30 * SAMPLE_EVERY_MS);
      expect((await samples.read(NAME))[0]).toEqual(sampleAt(35));
      expect(await samples.read("machine-node")).toEqual([]);
    });
  });
}

samplesSuite("memory", async (clock) => createMemorySamples(clock));

describeWith(redisMissing())("on Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  samplesSuite("redis", (clock) => createRedisSamples({ url: server.url, log: silentLog, clock }));
});

describe("sampling", () => {
  it("notes every function each 10 s, and continues when a look has failed", async () => {
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using samples = createMemorySamples(clock);
    let fails = true;
    const peek: typeof queue.peek = (name) =>
      fails && name === "machine-node" ? Promise.reject(new Error("it is away")) : queue.peek(name);
    const functions = [NAME, "machine-node"];
    const { log } = recordingLog();
    await using _sampling = startSampling({ queue: { ...queue, peek }, functions, samples, clock, log });
    await queue.enqueue(NAME, [live("a"), live("b", 3_600_000)]);
    await clock.advance(SAMPLE_EVERY_MS);
    expect(await samples.read(NAME)).toMatchObject([{ ready: 1, waiting: 1, failures: 0 }]);
    expect(await samples.read("machine-node")).toEqual([]);
    fails = false;
    await using _worker = await queue.work(NAME, { ...DEFAULT_QUEUE, owner: "w" }, async () => OK);
    await clock.advance(SAMPLE_EVERY_MS);
    const [, second] = await samples.read(NAME);
    expect(second).toMatchObject({ ready: 0, waiting: 1 });
    expect(runsIn(second ?? NO_RUNS)).toBe(1);
    expect(await samples.read("machine-node")).toHaveLength(1);
    const all = await samples.read(ALL_FUNCTIONS);
    expect(all.map(({ waiting, durations }) => [waiting, runsIn({ failures: 0, durations })])).toEqual([
      [1, 1],
    ]);
  });
});
