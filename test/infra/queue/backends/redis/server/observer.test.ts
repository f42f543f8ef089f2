import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { openRedisLedger } from "../../../../../../infra/queue/backends/redis/ledger/open-ledger.ts";
import { createRedisDeadLetters } from "../../../../../../infra/queue/backends/redis/letters/letters.ts";
import {
  REDIS_USERS,
  type RedisUser,
  RIGHTS,
} from "../../../../../../infra/queue/backends/redis/server/users.ts";
import { createRedisStore } from "../../../../../../infra/queue/backends/redis/store/store.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../../../../../shared/function/backoff.ts";
import { causeOf } from "../../../../../../shared/runtime/queue/queue-control.ts";
import { live, OK } from "../../../../../suites/queue-world.ts";
import { virtualClock } from "../../../../../support/clock.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { deadLetter, POOL_KEY } from "../../../../../support/letters.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { commandsDuring } from "../../../../../support/redis-monitor.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const FUNCTION = "machinepool-status";
const [TYPE, AT] = [
  { cluster: "management", group: "test.dev", kind: "Widget" },
  { function: FUNCTION, key: POOL_KEY },
];
const WIDGET = {
  apiVersion: "test.dev/v1",
  kind: "Widget",
  metadata: { name: "w", namespace: "default", uid: "u", resourceVersion: "1" },
};
const REFUSED = /NOPERM|The user executing|ACL failure/;
const WITHIN = { withinMs: 20_000, stepMs: 20 };

describeWith(redisMissing())("S-24: people at the Redis of a deployment", () => {
  let server: RedisServer;
  const clock = virtualClock();
  const targetOf = (user: RedisUser) => ({
    url: server.url.replace("redis://", `redis://${user}:of-a-test@`),
    log: silentLog,
  });
  beforeAll(async () => {
    const users = REDIS_USERS.map((user) => `user ${user} on >of-a-test resetchannels ${RIGHTS[user]}`);
    const admin = "user admin on >of-a-test ~* &* +@all";
    server = await startRedis(["user default off", "maxmemory-policy noeviction", ...users, admin]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("Q-38: an observer looks at everything and writes nothing, by the account of the server", async () => {
    {
      await using queue = await createBullmqQueue(targetOf("worker"));
      await using store = await createRedisStore(targetOf("relay"));
      await using writer = await createRedisDeadLetters({ ...targetOf("worker"), clock });
      await queue.enqueue(FUNCTION, [live(POOL_KEY, MINUTE)]);
      await store.put(TYPE, [WIDGET]);
      await writer.put(deadLetter());
    }
    const admin = new Redis(server.url.replace("redis://", "redis://admin:of-a-test@"));
    using stack = new DisposableStack();
    stack.defer(() => admin.disconnect());
    const seen = await commandsDuring(admin, async () => {
      await using ledger = await openRedisLedger(targetOf("observer"));
      await using letters = await createRedisDeadLetters({ ...targetOf("observer"), clock });
      await using model = await createRedisStore(targetOf("observer"));
      expect(await ledger.peek(FUNCTION)).toMatchObject({ waiting: 1 });
      expect((await ledger.keys(FUNCTION, { state: "waiting", limit: 10 })).items).toHaveLength(1);
      expect(await ledger.topTenants(FUNCTION, 10)).toHaveLength(1);
      expect(await ledger.keyState(FUNCTION, POOL_KEY)).toMatchObject({ state: "waiting" });
      expect((await letters.page({ limit: 10 })).items).toHaveLength(1);
      expect(await letters.get(AT)).toEqual(deadLetter());
      expect(await model.list(TYPE, {})).toEqual([WIDGET]);
      expect(await model.progress(TYPE)).toMatchObject({ ready: false });
      const shown = { key: POOL_KEY, deadSince: deadLetter().deadSince, times: 1 };
      await expect(ledger.pause(FUNCTION)).rejects.toThrow(REFUSED);
      await expect(letters.dropSeen(FUNCTION, [shown])).rejects.toThrow(REFUSED);
      await expect(letters.hide()).rejects.toThrow(REFUSED);
    });
    expect(seen.commands).toEqual(expect.arrayContaining(["eval", "hmget", "hscan", "zrangebyscore"]));
    expect(seen.writes).toEqual([]);
    const planted = await commandsDuring(admin, () => admin.set("planted", "1"));
    expect(planted.writes).toEqual(["set"]);
  });

  it("an observer does nothing else, and does not see the key that hides secrets", async () => {
    const observer = new Redis(targetOf("observer").url, { enableReadyCheck: false });
    using stack = new DisposableStack();
    stack.defer(() => observer.disconnect());
    const key = `{cap:${FUNCTION}}:l:meta`;
    const script = (call: string) => ["EVAL", `return redis.call(${call}, KEYS[1])`, "1", key];
    expect(await observer.call("EVAL", "return redis.call('exists', KEYS[1])", "1", key)).toEqual(
      expect.any(Number),
    );
    for (const [command = "", ...args] of [
      ["SET", key, "1"],
      ["GET", "{cap:dead-letters}:hide-key"],
      ["GET", "other"],
      ["KEYS", "*"],
      ["PUBLISH", "cap:hints", "x"],
      ["SUBSCRIBE", "other"],
      script("'del'"),
      script("'incr'"),
    ]) {
      await expect(observer.call(command, ...args), command).rejects.toThrow(REFUSED);
    }
  });

  it("Q-40: an operator pauses, resumes, requeues and drops; workers do the rest", async () => {
    await using queue = await createBullmqQueue(targetOf("worker"));
    await using writer = await createRedisDeadLetters({ ...targetOf("worker"), clock });
    await using ledger = await openRedisLedger(targetOf("operator"));
    await using letters = await createRedisDeadLetters({ ...targetOf("operator"), clock });
    const name = "machinepool-nodes";
    const failure = { class: "Terminal", reason: "Broken", message: "no" } as const;
    const causes: unknown[] = [];
    let runs = 0;
    await using _worker = await queue.work(name, { ...DEFAULT_QUEUE, owner: "w" }, async (lease) => {
      causes.push(lease.causes);
      runs += 1;
      return runs > 1 ? OK : { type: "error", failure, terminal: true, requested: false, fences: [] };
    });
    await queue.enqueue(name, [live(POOL_KEY)]);
    await eventually(async () => expect((await ledger.peek(name)).dead).toBe(1), WITHIN);
    expect(await ledger.pause(name)).toBe(true);
    const [dead] = (await ledger.keys(name, { state: "dead", limit: 1 })).items;
    const seen = [{ key: POOL_KEY, deadSince: dead?.since ?? new Date(0) }];
    expect(await ledger.requeue(name, seen, causeOf("requeue", "ana"))).toEqual([
      { key: POOL_KEY, done: true },
    ]);
    expect(runs).toBe(1);
    expect(await ledger.resume(name)).toBe(true);
    await eventually(() => expect(causes[1]).toEqual([{ what: "requeue by ana" }]), WITHIN);
    await writer.put(deadLetter({ function: name }));
    const [head] = (await letters.page({ function: name, limit: 1 })).items;
    expect(await letters.dropSeen(name, head === undefined ? [] : [head])).toEqual([
      { key: POOL_KEY, done: true },
    ]);

    const operator = new Redis(targetOf("operator").url, { enableReadyCheck: false });
    using stack = new DisposableStack();
    stack.defer(() => operator.disconnect());
    for (const key of [
      "{cap:store:management}:test.dev:Widget:objects",
      "{cap:machinepool-nodes}:run:wait",
      "other",
    ]) {
      await expect(operator.call("DEL", key), key).rejects.toThrow(REFUSED);
    }
  });
});
