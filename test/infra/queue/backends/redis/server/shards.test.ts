import { Cluster, Command, Redis } from "ioredis";
import { expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { openRedisHints } from "../../../../../../infra/queue/backends/redis/hints.ts";
import { OWNER } from "../../../../../../infra/queue/backends/redis/server/data-format.ts";
import { tieRedis } from "../../../../../../infra/queue/backends/redis/server/owner.ts";
import { historyPrefixes } from "../../../../../../infra/queue/backends/redis/server/shards.ts";
import { RIGHTS } from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { loadFunctions } from "../../../../../../infra/worker/load.ts";
import { DEFAULT_QUEUE } from "../../../../../../shared/function/backoff.ts";
import type { Outcome, QueueEntry } from "../../../../../../shared/runtime/queue/queue-port.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { LAST_SLOT, type RedisShards, startShards } from "../../../../../support/processes/redis-cluster.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { recordingLog } from "../../../../../support/recording-log.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const WORK = { ...DEFAULT_QUEUE, owner: "w" };
const WITHIN = { withinMs: 60_000 };
const BEFORE_THE_NEXT_SEARCH = { withinMs: 40_000 };
const KEYS = Array.from({ length: 40 }, (_, n) => `t${n % 4}/-|Machine|default/m${n}`);
const events = (priority: QueueEntry["priority"]) => KEYS.map((key) => ({ key, priority }));

/** The shard of `count` that owns the slot of a tag. */
function shardOf(tag: string, count: number): number {
  return Math.floor(((new Command("get", [`{cap:${tag}}`]).getSlot() ?? 0) * count) / (LAST_SLOT + 1));
}

/** Returns a name, of a function or a kind, that lies on each shard. */
function nameOnEach(count: number, tagOf = (name: string) => `${name}.`): readonly string[] {
  const names = Array.from({ length: 100 }, (_, n) => `f${n}`);
  return Array.from({ length: count }, (_, at) => names.find((n) => shardOf(tagOf(n), count) === at) ?? "");
}

const typeOf = (kind: string) => ({ cluster: "management", group: "test.dev", kind });
const widget = (kind: string, resourceVersion: string) => ({
  apiVersion: "test.dev/v1",
  kind,
  metadata: { name: "w", namespace: "default", uid: "u", resourceVersion },
});
const AT = { namespace: "default", name: "w" };

async function callsOf({ primaries }: RedisShards): Promise<readonly number[]> {
  return Promise.all(
    primaries.map(async ({ url }) => {
      const admin = new Redis(url);
      const stats = await admin.info("commandstats");
      admin.disconnect();
      return [...stats.matchAll(/:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
    }),
  );
}

describeWith(redisMissing())("a Redis Cluster of several shards", () => {
  it("S-23: refuses the data of a server that was one, and keeps its own through a loss of data", async () => {
    const cluster = { uid: "u", server: "https://127.0.0.1" };
    await using shards = await startShards(2);
    const target = { url: shards.url, log: silentLog };
    const admin = new Cluster([shards.url]);
    await admin.hset(OWNER, { uid: "u", format: "1" });
    await expect(tieRedis(target, cluster)).rejects.toThrow(
      "holds data of one shard and has several now; go back, or",
    );
    await admin.del(OWNER);
    for (const loses of [true, false]) {
      await using tie = await tieRedis(target, cluster);
      if (!loses) continue;
      await admin.del(OWNER);
      expect(await tie.renew()).toBeUndefined();
    }
    admin.disconnect();
  });

  it("Q-33: of six shards none gets more than 1.5 times its share of the calls of Capstan's functions", async () => {
    await using shards = await startShards(6);
    await using queue = await createBullmqQueue({ url: shards.url, log: silentLog });
    const names = (await loadFunctions()).map(({ spec }) => spec.name);
    let runs = 0;
    for (const name of names)
      await queue.work(name, WORK, async () => {
        runs += 1;
        return OK;
      });
    const before = await callsOf(shards);
    await Promise.all(names.map((name) => queue.enqueue(name, events("live"))));
    await eventually(() => runs === names.length * KEYS.length, WITHIN);
    const calls = (await callsOf(shards)).map((after, at) => after - (before[at] ?? 0));
    const share = calls.reduce((sum, each) => sum + each, 0) / calls.length;
    expect(Math.max(...calls) / share).toBeLessThanOrEqual(1.5);

    const history = historyPrefixes({ isCluster: true } as Cluster);
    const places = history.map((prefix) => shardOf(/^\{cap:(.*)\}:$/.exec(prefix)?.[1] ?? "", 6));
    const perShard = Object.values(Object.groupBy(places, String)).map((found) => found?.length ?? 0);
    expect(perShard).toHaveLength(6);
    expect(Math.max(...perShard)).toBeLessThanOrEqual((1.5 * history.length) / 6);
  });

  it("Q-02, Q-04, Q-33: a shard that fails over under load loses no key and doubles no run; the others work on", async () => {
    await using shards = await startShards(3, { withReplicas: true });
    const { log, lines } = recordingLog();
    await using queue = await createBullmqQueue({ url: shards.url, log });
    await using hints = await openRedisHints({ url: shards.url, log: silentLog });
    await using store = await createRedisStore({ url: shards.url, log: silentLog });
    let gaps = 0;
    using _following = hints.follow(
      () => undefined,
      () => {
        gaps += 1;
      },
    );
    const names = nameOnEach(3);
    const kinds = nameOnEach(3, (kind) => `store:management:test.dev:${kind}`);
    const version = new Map<string, number>();
    const seen = new Map<string, number>();
    const running = new Set<string>();
    let overlaps = 0;
    for (const name of names)
      await queue.work(name, WORK, async ({ key }) => {
        const id = `${name} ${key}`;
        if (running.has(id)) overlaps += 1;
        running.add(id);
        const read = version.get(name) ?? 0;
        await new Promise((done) => setTimeout(done, 5));
        seen.set(id, read);
        running.delete(id);
        return OK;
      });
    const epochs = () => Promise.all(names.map((name) => queue.epoch(name)));
    const ready = async (kind: string) => (await store.progress(typeOf(kind))).ready;
    for (const kind of kinds) {
      await store.advance(typeOf(kind), { ready: false });
      await store.put(typeOf(kind), [widget(kind, "1")]);
      await store.advance(typeOf(kind), { ready: true });
    }
    expect(await Promise.all(kinds.map(ready))).toEqual([true, true, true]);
    const before = await epochs();
    /** As a relay does: it sends what was refused again. */
    const send = async (name: string, priority: QueueEntry["priority"] = "live"): Promise<void> => {
      version.set(name, (version.get(name) ?? 0) + 1);
      await eventually(async () => {
        await queue.enqueue(name, events(priority));
      }, WITHIN);
    };
    const areRun = (name: string) => KEYS.every((key) => seen.get(`${name} ${key}`) === version.get(name));

    await Promise.all(names.map((name) => send(name)));
    await shards.primaries[1]?.kill();
    const late = send(names[1] ?? "");
    const others = [0, 2].map((at) => names[at] ?? "");
    await Promise.all(others.map((name) => send(name)));
    await eventually(() => others.every(areRun), WITHIN);
    await late;
    await eventually(async () => (await epochs())[1] !== before[1], WITHIN);
    await send(names[1] ?? "", "resync");
    await eventually(() => names.every(areRun), WITHIN);
    expect(overlaps).toBe(0);
    expect(gaps).toBeGreaterThan(0);

    const after = await epochs();
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    await eventually(() => expect(queue.healthy()).toMatchObject({ ok: true }), WITHIN);
    const { host } = new URL(shards.primaries[1]?.url ?? "");
    const away = lines.filter(({ message }) => message.startsWith("Redis is unreachable"));
    expect(away.map(({ fields }) => Reflect.get(fields, "redis"))).toEqual([`redis://${host}`]);
    // Its replica may hold old data; the other shards have lost nothing.
    await eventually(async () => expect(await store.get(typeOf(kinds[1] ?? ""), AT)).toBeDefined(), WITHIN);
    expect(await Promise.all(kinds.map(ready))).toEqual([true, false, true]);
  });

  it("Q-33: a shard that is away is named by everything that says so, and serves again without help", async () => {
    await using shards = await startShards(3);
    await using queue = await createBullmqQueue({ url: shards.url, log: silentLog });
    const [first = "", second = ""] = nameOnEach(3);
    const epoch = await queue.epoch(second);
    const [, away] = shards.primaries;
    const { host } = new URL(away?.url ?? "");
    await away?.kill();
    await expect(queue.enqueue(second, events("live"))).rejects.toThrow(
      `Redis at redis://${host} does not answer`,
    );
    await queue.enqueue(first, events("live"));
    expect((await queue.depth(first)).ready).toBe(KEYS.length);
    expect(queue.healthy()).toMatchObject({ ok: false, message: `shard ${host}: Redis is unreachable` });
    await expect(createBullmqQueue({ url: shards.url, log: silentLog })).rejects.toThrow(
      `cannot use Redis at ${shards.url}: shard ${host}: it does not answer`,
    );
    // It comes back with what it knows of the cluster, and without data.
    await away?.restart();
    await eventually(() => queue.enqueue(second, events("live")), WITHIN);
    await eventually(() => expect(queue.healthy().ok).toBe(true), WITHIN);
    expect(await queue.epoch(second)).not.toBe(epoch);
  });

  it("Q-33: each shard is looked at: none may evict data, and one that is full says so", async () => {
    await using shards = await startShards(3);
    await using stack = new AsyncDisposableStack();
    const [, { url = "" } = {}] = shards.primaries;
    const admin = stack.adopt(new Redis(url), (redis) => redis.disconnect());
    await admin.config("SET", "maxmemory-policy", "allkeys-lru");
    const { host } = new URL(url);
    await expect(createBullmqQueue({ url: shards.url, log: silentLog })).rejects.toThrow(
      `cannot use Redis at ${shards.url}: shard ${host}: it may evict data (maxmemory-policy allkeys-lru)`,
    );
    await admin.config("SET", "maxmemory-policy", "noeviction");
    const queue = stack.use(await createBullmqQueue({ url: shards.url, log: silentLog }));
    const [first = "", second = ""] = nameOnEach(3);
    await admin.config("SET", "maxmemory", "1");
    await expect(queue.enqueue(second, events("live"))).rejects.toThrow("OOM");
    expect(queue.healthy().message).toMatch(`shard ${host}: Redis: it refuses writes: OOM`);
    await queue.enqueue(first, events("live"));
  });

  it("S-24: the rights of a worker suffice, and a password that changes is taken with the next connections", async () => {
    await using shards = await startShards(3, {
      settings: [`user worker on >first resetchannels ${RIGHTS.worker}`],
    });
    let password = "first";
    const newest = () => ({ url: shards.url.replace("redis://", `redis://worker:${password}@`) });
    await using queue = await createBullmqQueue({ ...newest(), newest, log: silentLog });
    const names = nameOnEach(3);
    let runs = 0;
    for (const name of names)
      await queue.work(name, WORK, async () => {
        runs += 1;
        return OK;
      });
    await Promise.all(names.map((name) => queue.enqueue(name, events("live"))));
    await eventually(() => runs === names.length * KEYS.length, WITHIN);

    password = "second";
    for (const { url } of shards.primaries) {
      const admin = new Redis(url);
      await admin.acl("SETUSER", "worker", "resetpass", `>${password}`);
      await admin.client("KILL", "USER", "worker");
      admin.disconnect();
    }
    for (const name of names) await eventually(() => queue.enqueue(name, events("live")), WITHIN);
    await eventually(() => runs >= 2 * names.length * KEYS.length, WITHIN);
    await eventually(() => expect(queue.healthy()).toMatchObject({ ok: true }), WITHIN);
  });

  it("Q-31: jobs without a place in any list are found on every shard", async () => {
    await using shards = await startShards(3);
    const names = nameOnEach(3).map((name) => `{cap:${name}.}:run:77`);
    const admins = shards.primaries.map(({ url }) => new Redis(url));
    for (const [at, name] of names.entries())
      await admins[at]?.hset(name, { name: "r", data: "{}", opts: "{}" });
    await using _queue = await createBullmqQueue({ url: shards.url, log: silentLog });
    await eventually(async () => {
      const left = await Promise.all(names.map((name, at) => admins[at]?.exists(name)));
      expect(left).toEqual([0, 0, 0]);
    }, BEFORE_THE_NEXT_SEARCH);
    for (const admin of admins) admin.disconnect();
  });
});
