import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { createBullmqQueue } from "../../../infra/queue/bullmq.ts";
import { DEFAULT_QUEUE } from "../../../shared/runtime/backoff.ts";
import type { Outcome, QueueEntry } from "../../../shared/runtime/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { redisMissing, startRedis } from "../../support/redis.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const WORK = { ...DEFAULT_QUEUE, owner: "w" };
const WITHIN = { withinMs: 20_000 };
const WORKER = new URL("../../support/queue-worker.ts", import.meta.url).pathname;

const entries = (count: number): readonly QueueEntry[] =>
  Array.from({ length: count }, (_, n) => ({ key: `default/-|Machine|default/m${n}`, class: "live" }));

/** A worker process and what it has printed. */
function startWorker(
  ...args: readonly string[]
): Disposable & { readonly child: ChildProcess; readonly lines: string[] } {
  const child = spawn(process.execPath, [WORKER, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  return { child, lines, [Symbol.dispose]: () => child.kill("SIGKILL") };
}

describeWith(redisMissing())("the bullmq queue", { concurrent: true }, () => {
  it("Q-04, Q-13: every key runs to its end although a worker is killed in the middle", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    using victim = startWorker(redis.url, "f", "150");
    using survivor = startWorker(redis.url, "f", "20");
    const all = entries(60);
    await queue.enqueue("f", all);
    await eventually(() => victim.lines.length > 5, WITHIN);
    victim.child.kill("SIGKILL");
    await eventually(async () => {
      const { ready, running, waiting } = await queue.depth("f");
      return ready + running + waiting === 0;
    }, WITHIN);
    const ended = new Set([...victim.lines, ...survivor.lines].filter((line) => line.startsWith("end ")));
    expect(ended).toEqual(new Set(all.map(({ key }) => `end ${key}`)));
    expect(await queue.dead("f")).toEqual([]);
  });

  it("Q-04: tokens that are lost or doubled lose no key", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog, resendMs: 100 });
    const thief = new Redis(redis.url);
    await queue.enqueue("f", entries(20));
    const tokens = await thief.lrange("{cap:f}:run:wait", 0, -1);
    expect(tokens).toHaveLength(20);
    await thief.del("{cap:f}:run:wait");
    await eventually(async () => (await thief.llen("{cap:f}:run:wait")) >= 20, WITHIN);
    await thief.rpush("{cap:f}:run:wait", ...tokens);
    thief.disconnect();
    const keys: string[] = [];
    await using _worker = await queue.work("f", WORK, async ({ key }) => {
      keys.push(key);
      return OK;
    });
    await eventually(async () => (await queue.depth("f")).ready === 0, WITHIN);
    expect(new Set(keys)).toEqual(new Set(entries(20).map(({ key }) => key)));
    expect(keys).toHaveLength(20);
  });

  it("Q-11: resync tokens stand behind live ones, and jobs carry nothing but the token", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    await queue.enqueue("f", [
      { key: "a", class: "resync" },
      { key: "b", class: "live" },
    ]);
    const reader = new Redis(redis.url);
    const [job] = await reader.lrange("{cap:f}:run:wait", 0, -1);
    expect(await reader.hgetall(`{cap:f}:run:${job}`)).toMatchObject({
      data: expect.stringMatching(/^\{"k":"b","s":"[0-9a-f]+-2"\}$/),
      priority: "0",
    });
    expect(await reader.zcard("{cap:f}:run:prioritized")).toBe(1);
    reader.disconnect();
  });

  it("Q-15: rejects events while Redis is away, and works on when it is back", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    const keys: string[] = [];
    await using _worker = await queue.work("f", WORK, async ({ key }) => {
      keys.push(key);
      return OK;
    });
    await queue.enqueue("f", entries(1));
    await eventually(() => keys.length === 1, WITHIN);
    const epoch = await queue.epoch("f");
    await redis.kill();
    await eventually(
      () =>
        queue.enqueue("f", entries(1)).then(
          () => false,
          () => true,
        ),
      WITHIN,
    );
    await redis.restart();
    await eventually(() => queue.enqueue("f", entries(3)), WITHIN);
    await eventually(() => expect(new Set(keys).size).toBe(3), WITHIN);
    expect(await queue.epoch("f")).not.toBe(epoch);
  });

  it("Q-14: closes although Redis is away and a run never ends", async () => {
    await using redis = await startRedis();
    const timing = { drainMs: 50, leaseMs: 500 };
    const queue = await createBullmqQueue({ url: redis.url, log: silentLog, timing });
    const started = Promise.withResolvers<void>();
    await queue.work("f", WORK, () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    await queue.enqueue("f", entries(1));
    await started.promise;
    await redis.kill();
    await queue[Symbol.asyncDispose]();
    await expect(queue.enqueue("f", entries(1))).rejects.toThrow("closed");
  });

  it("refuses a Redis that evicts data", async () => {
    await using redis = await startRedis(["maxmemory 100mb", "maxmemory-policy allkeys-lru"]);
    await expect(createBullmqQueue({ url: redis.url, log: silentLog })).rejects.toThrow(
      "evicts data (maxmemory-policy allkeys-lru); set maxmemory-policy noeviction",
    );
  });

  it("does not show a wrong password", async () => {
    await using redis = await startRedis(["requirepass right"]);
    const url = redis.url.replace("redis://", "redis://:hunter2@");
    const error: unknown = await createBullmqQueue({ url, log: silentLog }).catch(
      (thrown: unknown) => thrown,
    );
    expect(inspect(error, { depth: 10 })).toMatch(
      /cannot use Redis at redis:\/\/:\*\*\*@127.*(WRONGPASS|NOAUTH)/,
    );
    expect(inspect(error, { depth: 10 })).not.toContain("hunter2");
    const right = redis.url.replace("redis://", "redis://:right@");
    await using queue = await createBullmqQueue({ url: right, log: silentLog });
    expect(await queue.depth("f")).toEqual({ ready: 0, waiting: 0, running: 0, dead: 0 });
  });

  it("names the server that it cannot reach, without the password", async () => {
    const url = "redis://capstan:hunter2@127.0.0.1:1/0";
    const error: unknown = await createBullmqQueue({ url, log: silentLog }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toContain("cannot use Redis at redis://capstan:***@127.0.0.1:1/0");
    expect(String(error)).not.toContain("hunter2");
    await expect(createBullmqQueue({ url: "http://a:b@c", log: silentLog })).rejects.toThrow(
      "http://a:***@c/",
    );
    await expect(createBullmqQueue({ url: "secret", log: silentLog })).rejects.toThrow("is not a URL");
  });
});
