import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisHeartbeats } from "../../../../infra/queue/backends/redis/heartbeats/heartbeats.ts";
import type { Heartbeat } from "../../../../infra/queue/heartbeats/heartbeats.ts";
import { startBeating } from "../../../../infra/queue/heartbeats/start-beating.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";

const WITHIN = { withinMs: 20_000, stepMs: 10 };
const beatOf = (id: string, more: Partial<Heartbeat> = {}): Heartbeat => ({
  id,
  roles: ["worker"],
  version: "1.2.3",
  ready: true,
  reasons: [],
  functions: ["machine-node"],
  ...more,
});

describeWith(redisMissing())("heartbeats", () => {
  let server: RedisServer;
  const open = () => createRedisHeartbeats({ url: server.url, log: silentLog });
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("show the processes that are alive, with what they last said, and forget those that end", async () => {
    await using heartbeats = await open();
    await using other = await open();
    expect(await other.processes()).toEqual([]);
    await heartbeats.beat(beatOf("b"));
    await heartbeats.beat(beatOf("a"));
    await heartbeats.beat(beatOf("b", { ready: false, reasons: ["queue: no answer"] }));
    expect(await other.processes()).toEqual([
      { ...beatOf("a"), seenAt: expect.any(Date) },
      { ...beatOf("b", { ready: false, reasons: ["queue: no answer"] }), seenAt: expect.any(Date) },
    ]);
    await heartbeats.end("b");
    expect((await other.processes()).map(({ id }) => id)).toEqual(["a"]);
    await heartbeats.end("a");
  });

  it("forget a process that is silent for 30 s, and all of them when no process is left", async () => {
    await using heartbeats = await open();
    const redis = new Redis(server.url);
    using stack = new DisposableStack();
    stack.defer(() => redis.disconnect());
    await heartbeats.beat(beatOf("killed"));
    await redis.zadd("{cap:processes}:seen", Date.now() - 31_000, "killed");
    expect(await heartbeats.processes()).toEqual([]);
    await heartbeats.beat(beatOf("alive"));
    expect(await redis.hkeys("{cap:processes}:beats")).toEqual(["alive"]);
    expect(await redis.pttl("{cap:processes}:beats")).toBeGreaterThan(0);
    expect(await redis.pttl("{cap:processes}:seen")).toBeGreaterThan(0);
    await heartbeats.end("alive");
  });

  it("leave out watches that are too many for 16 KiB", async () => {
    await using heartbeats = await open();
    const watch = { name: "n".repeat(400), state: "streaming" } as unknown as NonNullable<
      Heartbeat["watches"]
    >[number];
    await heartbeats.beat(beatOf("few", { watches: Array(3).fill(watch) }));
    await heartbeats.beat(beatOf("many", { watches: Array(50).fill(watch) }));
    const found = await heartbeats.processes();
    expect(found.map(({ id, watches = [] }) => [id, watches.length])).toEqual([
      ["few", 3],
      ["many", 0],
    ]);
    for (const { id } of found) await heartbeats.end(id);
  });

  it("come at once and every 10 s, and the end of a process is noted", async () => {
    await using heartbeats = await open();
    const clock = virtualClock();
    let running = 0;
    const look = () => beatOf("w", { running: running++ });
    const beating = startBeating({ heartbeats, look, clock, log: silentLog });
    const seen = async () => (await heartbeats.processes()).map((each) => each.running);
    await eventually(async () => expect(await seen()).toEqual([0]), WITHIN);
    await eventually(async () => {
      await clock.advance(10_000);
      expect((await seen())[0]).toBeGreaterThanOrEqual(2);
    }, WITHIN);
    await beating[Symbol.asyncDispose]();
    expect(await seen()).toEqual([]);
  });
});
