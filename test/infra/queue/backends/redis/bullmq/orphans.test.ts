import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createBullmqTransport } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq-transport.ts";
import { removeOrphans } from "../../../../../../infra/queue/backends/redis/bullmq/orphans.ts";
import { virtualClock } from "../../../../../support/clock.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const MINUTE = 60_000;

describeWith(redisMissing())("jobs without a place in any list", () => {
  let opened: AsyncDisposableStack;
  let redis: Redis;
  let worker: Redis;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    const connect = (options = {}) =>
      opened.adopt(new Redis(server.url, options), (connection) => connection.disconnect());
    redis = connect();
    worker = connect({ maxRetriesPerRequest: null });
  });
  afterEach(() => redis.flushall());
  afterAll(() => opened.disposeAsync());

  const plant = (name: string) => redis.hset(name, { name: "r", data: '{"k":"a","s":"1"}', opts: "{}" });
  const areGone = async (...names: string[]): Promise<boolean> => (await redis.exists(...names)) === 0;
  const failures: Error[] = [];
  /** A process that searches, with a clock of its own. */
  const start = () => {
    const clock = virtualClock();
    const stop = removeOrphans({ redis, clock, onError: (error) => failures.push(error) });
    /** Its search is over, and it waits for the next one. */
    const hasSearched = () => eventually(() => clock.pending === 1, { withinMs: 10_000 });
    return { clock, stop, hasSearched };
  };
  const scans = async (): Promise<number> => {
    const found = /cmdstat_scan:calls=(\d+)/.exec(await redis.info("commandstats"));
    return Number(found?.[1] ?? 0);
  };
  const openTransport = (functionName: string) =>
    createBullmqTransport({ functionName, producer: redis, worker, clock: virtualClock(), log: silentLog });

  it("go when a process starts, and every minute while it lives, those of all functions", async () => {
    const orphans = ["{cap:f}:run:77", "{cap:f}:run:78", "{cap:not-served}:run:5"];
    await Promise.all(orphans.map(plant));
    const { clock, stop, hasSearched } = start();
    await hasSearched();
    expect(await areGone(...orphans)).toBe(true);
    for (let minute = 0; minute < 2; minute += 1) {
      // The turn of the last search ends by the clock of Redis, which moves on by less than this one.
      await redis.del("{cap:tokens}:searched");
      await Promise.all(orphans.map(plant));
      await clock.advance(MINUTE - 1);
      expect(await redis.exists(...orphans)).toBe(3);
      await clock.advance(1);
      await hasSearched();
      expect(await areGone(...orphans)).toBe(true);
    }
    stop();
    expect(clock.pending).toBe(0);
    expect(failures).toEqual([]);
  });

  it("are not those that wait, with a rank or of a resync, or that a worker has", async () => {
    const [f, g] = await Promise.all([openTransport("f"), openTransport("g")]);
    await f.send([
      { key: "a", seq: "1", priority: "live" },
      { key: "b", seq: "1", priority: "live", rank: 3 },
      { key: "c", seq: "1", priority: "resync" },
    ]);
    const held = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const receiver = await g.receive(async () => {
      taken.resolve();
      await held.promise;
    }, 1);
    await g.send([{ key: "a", seq: "1", priority: "live" }]);
    await taken.promise;
    await plant("{cap:f}:run:77");
    const { stop, hasSearched } = start();
    await hasSearched();
    stop();
    expect(await areGone("{cap:f}:run:77")).toBe(true);
    expect(await redis.exists("{cap:f}:run:1", "{cap:f}:run:2", "{cap:f}:run:3")).toBe(3);
    expect(await redis.llen("{cap:f}:run:wait")).toBe(1);
    expect(await redis.zcard("{cap:f}:run:prioritized")).toBe(2);
    expect(await redis.lrange("{cap:g}:run:active", 0, -1)).toEqual(["1"]);
    expect(await redis.exists("{cap:g}:run:1")).toBe(1);
    held.resolve();
    await receiver.close(1_000);
    await Promise.all([f.close(), g.close()]);
    expect(failures).toEqual([]);
  });

  it("are found by reading the names of all keys once, of however many functions, by one process a minute", async () => {
    for (const name of ["f", "g", "h"]) {
      const transport = await openTransport(name);
      await transport.send([{ key: "a", seq: "1", priority: "live" }]);
      await transport.close();
    }
    const before = await scans();
    const processes = [start(), start(), start()];
    for (const { hasSearched } of processes) await hasSearched();
    expect((await scans()) - before).toBe(1);
    for (const { stop } of processes) stop();
    expect(failures).toEqual([]);
  });
});
