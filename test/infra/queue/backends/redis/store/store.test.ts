import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import type { KubeObject } from "../../../../../../shared/api/kinds.ts";
import type { Store, TypeKey } from "../../../../../../shared/runtime/ports.ts";
import { storeSuite } from "../../../../../suites/store.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const TYPE = { cluster: "default/c{1}", group: "example.com", kind: "Widget" };
const WIDGET: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w1", namespace: "default", uid: "u1", resourceVersion: "1" },
};

function named(name: string, resourceVersion: string): KubeObject {
  return { ...WIDGET, metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion } };
}

const keyOf = ({ cluster }: TypeKey, part: string) => `{cap:store:${cluster}}:example.com:Widget:${part}`;

/** A type that is complete with three Widgets, one of them replaced and a fourth removed. */
async function threeWidgets(store: Store, cluster: string): Promise<TypeKey> {
  const type = { ...TYPE, cluster };
  await store.advance(type, { ready: false });
  for (const name of ["w1", "w2", "w3", "w4"]) await store.put(type, [named(name, "1")]);
  await store.put(type, [named("w2", "2")]);
  await store.remove(type, { namespace: "default", name: "w4" }, { uid: "uid-w4", resourceVersion: "3" });
  await store.advance(type, { ready: true, resourceVersion: "3" });
  expect(await store.progress(type)).toMatchObject({ ready: true });
  return type;
}

describeWith(redisMissing())("on Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  storeSuite({
    name: "redis",
    create: (kindOf) => createRedisStore({ url: redis.url, kindOf, log: silentLog }),
  });

  it("keeps a type in few keys of one slot and leaves none behind", async () => {
    await using own = await startRedis();
    await using store = await createRedisStore({ url: own.url, log: silentLog });
    await store.put(TYPE, [WIDGET]);
    await store.advance(TYPE, { ready: true, resourceVersion: "1" });
    const reader = new Redis(own.url);
    const keys = await reader.keys("*");
    expect(keys).toHaveLength(4);
    expect(keys.filter((key) => !key.startsWith("{cap:store:default%2Fc%7B1%7D}:"))).toEqual([]);
    await store.remove(TYPE, { namespace: "default", name: "w1" }, { uid: "u1", resourceVersion: "2" });
    await store.advance(TYPE, { resourceVersion: "2" });
    expect(await reader.keys("*")).toHaveLength(1);
    await store.drop(TYPE);
    expect(await reader.keys("*")).toEqual([]);
    reader.disconnect();
  });

  it("makes one call of the reads of one turn, and two more where a list is long", async () => {
    await using store = await createRedisStore({ url: redis.url, log: silentLog });
    const [small, large] = await Promise.all([threeWidgets(store, "calls"), threeWidgets(store, "long")]);
    await store.put(
      large,
      Array.from({ length: 600 }, (_, at) => named(`more-${at}`, "1")),
    );
    const reader = new Redis(redis.url);
    const callsDuring = async (reads: () => Promise<unknown>): Promise<string> => {
      await reader.config("RESETSTAT");
      await reads();
      const calls = (await reader.info("commandstats")).matchAll(/cmdstat_(evalsha_ro|hmget):calls=(\d+)/g);
      // The script itself looks at the progress of a type with one HMGET.
      // Redis lists commands in an order that each server draws.
      return [...calls]
        .map(([, command, count]) => `${command} ${count}`)
        .toSorted()
        .join();
    };
    const key = { namespace: "default", name: "w1" };
    await store.read(small, key);
    const readAll = () =>
      Promise.all([
        store.read(small, key),
        store.read({ ...small, kind: "Gadget" }, {}),
        store.get(small, key),
      ]);
    expect(await callsDuring(readAll)).toBe("evalsha_ro 1,hmget 2");
    const whole = await store.read(large, {});
    expect([whole.found.length, whole.progress.ready]).toEqual([603, true]);
    expect(await callsDuring(() => store.read(large, {}))).toBe("evalsha_ro 2,hmget 3");
    reader.disconnect();
  });

  it.each(["objects", "heads", "index", "meta"])(
    "does not take a type for complete that has lost its %s, not even with half of it back",
    async (part) => {
      await using store = await createRedisStore({ url: redis.url, log: silentLog });
      const type = await threeWidgets(store, `lost-${part}`);
      const reader = new Redis(redis.url);
      await reader.unlink(keyOf(type, part));
      expect(await store.progress(type)).toMatchObject({ ready: false });
      await store.put(type, [named("w1", "2")]);
      await store.put(type, [named("w4", "2")]);
      expect(await store.progress(type)).toMatchObject({ ready: false });
      reader.disconnect();
    },
  );

  it("does not take a type for complete that has lost one object, or one index entry", async () => {
    await using store = await createRedisStore({ url: redis.url, log: silentLog });
    const reader = new Redis(redis.url);
    const type = await threeWidgets(store, "lost-one");
    const [field = ""] = await reader.hkeys(keyOf(type, "objects"));
    await reader.hdel(keyOf(type, "objects"), field);
    expect(await store.progress(type)).toMatchObject({ ready: false });
    const other = await threeWidgets(store, "lost-entry");
    await reader.zremrangebyrank(keyOf(other, "index"), 0, 0);
    expect(await store.progress(other)).toMatchObject({ ready: false });
    reader.disconnect();
  });

  it("takes no type for complete that was listed before Redis restarted, until it is listed again", async () => {
    await using own = await startRedis(["appendonly yes", "appendfsync always"]);
    await using store = await createRedisStore({ url: own.url, log: silentLog });
    const type = await threeWidgets(store, "restarted");
    await own.restart();
    await eventually(() => store.list(type, {}), { withinMs: 20_000 });
    expect(await store.list(type, {})).toHaveLength(3);
    expect(await store.progress(type)).toMatchObject({ ready: false, resourceVersion: "3" });
    await using other = await createRedisStore({ url: own.url, log: silentLog });
    expect(await other.progress(type)).toMatchObject({ ready: false });
    // The end of a list that began before: what came first is of the Redis that is gone.
    await other.advance(type, { ready: true });
    expect(await store.progress(type)).toMatchObject({ ready: false });
    await other.advance(type, { ready: false });
    await other.advance(type, { ready: true });
    expect(await store.progress(type)).toMatchObject({ ready: true });
  });

  it("does not take a type for complete that was wiped while it was listed", async () => {
    await using store = await createRedisStore({ url: redis.url, log: silentLog });
    const type = { ...TYPE, cluster: "wiped" };
    await store.advance(type, { ready: false });
    await store.put(type, [named("w1", "1")]);
    await store.drop(type);
    await store.put(type, [named("w2", "1")]);
    await store.advance(type, { ready: true, resourceVersion: "1" });
    expect(await store.progress(type)).toMatchObject({ ready: false, resourceVersion: "1" });
  });

  it("rejects while Redis is away and serves again when it is back", async () => {
    await using own = await startRedis();
    await using store = await createRedisStore({ url: own.url, log: silentLog });
    await store.put(TYPE, [WIDGET]);
    await own.kill();
    await eventually(
      () =>
        store.list(TYPE, {}).then(
          () => false,
          () => true,
        ),
      { withinMs: 20_000 },
    );
    await own.restart();
    await eventually(() => store.put(TYPE, [WIDGET]), { withinMs: 20_000 });
    expect(await store.list(TYPE, {})).toEqual([WIDGET]);
  });
});
