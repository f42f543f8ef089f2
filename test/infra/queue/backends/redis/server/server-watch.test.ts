import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { openQueueSource } from "../../../../../../infra/queue/backends/queue-source.ts";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { watchServer } from "../../../../../../infra/queue/backends/redis/server/server-watch.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { virtualClock } from "../../../../../support/clock.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { startProxy } from "../../../../../support/processes/tcp-proxy.ts";
import { recordingLog } from "../../../../../support/recording-log.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

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

  it("is checked every 5 s, and logged once each way", async () => {
    await using server = await startRedis();
    using connection = connect(server.url);
    const { redis } = connection;
    const clock = virtualClock();
    const { log, lines } = recordingLog();
    let mended = 0;
    using watch = watchServer(redis, { clock, log, onMended: () => (mended += 1), connections: [redis] });
    for (const [policy, reason] of [
      ["noeviction", undefined],
      ["allkeys-lru", REASON],
      ["allkeys-lru", REASON],
      ["noeviction", undefined],
      ["noeviction", undefined],
    ] as const) {
      await redis.config("SET", "maxmemory-policy", policy);
      await clock.advance(5_000);
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

describeWith(redisMissing())("the connections of one process", () => {
  it("Q-15: leave a server that refuses writes together, also those that only read", async () => {
    await using first = await startRedis();
    await using second = await startRedis();
    await using proxy = await startProxy(first.url);
    const source = openQueueSource({ queue: proxy.url }, silentLog);
    await using _queue = await createBullmqQueue({ ...source, log: silentLog });
    await using store = await createRedisStore({ ...source, url: proxy.url, log: silentLog });
    const type = { cluster: "management", group: "g", kind: "Widget" };
    await store.advance(type, { ready: false });
    await store.advance(type, { ready: true, resourceVersion: "1" });
    await eventually(async () => expect(await store.progress(type)).toMatchObject({ ready: true }), WITHIN);
    using admin = connect(first.url);
    await admin.redis.config("SET", "min-replicas-to-write", "1");
    proxy.lead(second.url);
    await eventually(async () => expect(await store.progress(type)).toMatchObject({ ready: false }), WITHIN);
  });

  it("Q-15: one that only reads leaves a server that became a replica", async () => {
    await using first = await startRedis();
    await using second = await startRedis();
    await using proxy = await startProxy(first.url);
    const { log, lines } = recordingLog();
    await using store = await createRedisStore({ url: proxy.url, log });
    const type = { cluster: "management", group: "g", kind: "Widget" };
    await store.advance(type, { ready: false });
    await store.advance(type, { ready: true, resourceVersion: "1" });
    using admin = connect(first.url);
    const { hostname, port } = new URL(second.url);
    await admin.redis.replicaof(hostname, port);
    const refused = { level: "warn", message: "Redis refuses the connection; work waits" };
    await eventually(() => expect(lines).toContainEqual(expect.objectContaining(refused)), WITHIN);
    expect(JSON.stringify(lines)).toContain("it is a read-only replica; name the primary");
    proxy.lead(second.url);
    await eventually(async () => expect(await store.progress(type)).toMatchObject({ ready: false }), WITHIN);
  });
});

function connect(url: string): Disposable & { readonly redis: Redis } {
  const redis = new Redis(url);
  return { redis, [Symbol.dispose]: () => redis.disconnect() };
}
