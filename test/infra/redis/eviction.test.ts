import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { createBullmqQueue } from "../../../infra/queue/bullmq/bullmq.ts";
import { watchEviction } from "../../../infra/redis/eviction.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

const WITHIN = { withinMs: 10_000 };
const REASON = "it may evict data (maxmemory-policy allkeys-lru); set maxmemory-policy noeviction";

describeWith(redisMissing())("a Redis that is allowed to evict data (S-23, Q-33)", () => {
  it("makes the queue unready while it is so, and lost data is looked for afterwards", async () => {
    await using server = await startRedis();
    await using queue = await createBullmqQueue({ url: server.url, log: silentLog });
    using admin = connect(server.url);
    const epoch = await queue.epoch("f");
    expect(queue.healthy()).toEqual({ ok: true });
    await admin.redis.config("SET", "maxmemory-policy", "allkeys-lru");
    // A new connection, after a failover for instance, is checked like the first.
    await admin.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await eventually(
      () => expect(queue.healthy()).toEqual({ ok: false, message: `Redis: ${REASON}` }),
      WITHIN,
    );
    await admin.redis.config("SET", "maxmemory-policy", "noeviction");
    await admin.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await eventually(() => expect(queue.healthy()).toEqual({ ok: true }), WITHIN);
    expect(await queue.epoch("f")).not.toBe(epoch);
  });

  it("is checked every 30 s, and logged once each way", async () => {
    await using server = await startRedis();
    using connection = connect(server.url);
    const { redis } = connection;
    const clock = virtualClock();
    const { log, lines } = recordingLog();
    let mended = 0;
    using watch = watchEviction(redis, { clock, log, onMended: () => (mended += 1) });
    for (const [policy, reason] of [
      ["noeviction", undefined],
      ["allkeys-lru", REASON],
      ["allkeys-lru", REASON],
      ["noeviction", undefined],
      ["noeviction", undefined],
    ] as const) {
      await redis.config("SET", "maxmemory-policy", policy);
      await clock.advance(30_000);
      await eventually(() => expect([watch.reason, clock.pending]).toEqual([reason, 1]), WITHIN);
    }
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "error Redis may evict keys of the queue",
      "info Redis no longer evicts data; a resync finds what it may have lost",
    ]);
    expect(mended).toBe(1);
    watch[Symbol.dispose]();
    expect(clock.pending).toBe(0);
  });
});

function connect(url: string): Disposable & { readonly redis: Redis } {
  const redis = new Redis(url);
  return { redis, [Symbol.dispose]: () => redis.disconnect() };
}
