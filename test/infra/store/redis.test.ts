import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RedisServer, redisMissing, startRedis } from "../../../infra/bench/redis-server.ts";
import { createRedisStore } from "../../../infra/store/redis.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { storeSuite } from "../../suites/store.ts";
import { eventually } from "../../support/eventually.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

const TYPE = { cluster: "default/c{1}", group: "example.com", kind: "Widget" };
const WIDGET: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "w1", namespace: "default", uid: "u1", resourceVersion: "1" },
};

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
    await store.put(TYPE, WIDGET);
    await store.advance(TYPE, { ready: true, resourceVersion: "1" });
    const reader = new Redis(own.url);
    const keys = await reader.keys("*");
    expect(keys).toHaveLength(4);
    expect(keys.filter((key) => !key.startsWith("{cap:store:default%2Fc%7B1%7D}:"))).toEqual([]);
    await store.remove(TYPE, { namespace: "default", name: "w1" }, { uid: "u1", resourceVersion: "2" });
    expect(await reader.keys("*")).toHaveLength(1);
    await store.drop(TYPE);
    expect(await reader.keys("*")).toEqual([]);
    reader.disconnect();
  });

  it("rejects while Redis is away and serves again when it is back", async () => {
    await using own = await startRedis();
    await using store = await createRedisStore({ url: own.url, log: silentLog });
    await store.put(TYPE, WIDGET);
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
    await eventually(() => store.put(TYPE, WIDGET), { withinMs: 20_000 });
    expect(await store.list(TYPE, {})).toEqual([WIDGET]);
  });
});
