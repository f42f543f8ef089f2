import { afterAll, beforeAll, expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import {
  REDIS_USERS,
  type RedisUser,
  RIGHTS,
} from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { queueSuite } from "../../../../../suites/queue.ts";
import { storeSuite } from "../../../../../suites/store.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { twoProcesses } from "../../../../../support/processes/two-processes.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const TYPE = { cluster: "management", group: "test.dev", kind: "Widget" };
const WIDGET = {
  apiVersion: "test.dev/v1",
  kind: "Widget",
  metadata: { name: "w", namespace: "default", uid: "u", resourceVersion: "1" },
};

describeWith(redisMissing())("S-24: the Redis users of a deployment", () => {
  let server: RedisServer;
  const urlOf = (user: RedisUser) => server.url.replace("redis://", `redis://${user}:of-a-test@`);
  beforeAll(async () => {
    const users = REDIS_USERS.map((user) => `user ${user} on >of-a-test resetchannels ${RIGHTS[user]}`);
    server = await startRedis(["user default off", "maxmemory-policy noeviction", ...users]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  queueSuite({
    name: "bullmq of a worker",
    concurrent: true,
    create: (own) => twoProcesses(() => createBullmqQueue({ url: urlOf("worker"), log: silentLog, ...own })),
  });

  storeSuite({
    name: "redis of a relay",
    create: (kindOf) => createRedisStore({ url: urlOf("relay"), kindOf, log: silentLog }),
  });

  it("a worker reads the read model and cannot change it", async () => {
    await using relay = await createRedisStore({ url: urlOf("relay"), log: silentLog });
    await using worker = await createRedisStore({ url: urlOf("worker"), log: silentLog });
    await relay.put(TYPE, [WIDGET]);
    await relay.advance(TYPE, { ready: false, resourceVersion: "1" });
    await relay.advance(TYPE, { ready: true });
    expect(await worker.progress(TYPE)).toMatchObject({ ready: true, resourceVersion: "1" });
    expect(await worker.list(TYPE, {})).toEqual([WIDGET]);
    for (const write of [
      () => worker.put(TYPE, [WIDGET]),
      () => worker.advance(TYPE, { ready: false }),
      () => worker.drop(TYPE),
      () => worker.remove(TYPE, { namespace: "default", name: "w" }, { uid: "u", resourceVersion: "2" }),
    ]) {
      await expect(write()).rejects.toThrow("NOPERM");
    }
  });
});
