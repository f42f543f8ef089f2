import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { Queue as BullQueue } from "bullmq";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { DEFAULT_QUEUE } from "../../../../../../shared/function/backoff.ts";
import type { FailedRun } from "../../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Log } from "../../../../../../shared/runtime/ports.ts";
import type { Outcome, QueueEntry } from "../../../../../../shared/runtime/queue/queue-port.ts";
import { eventually, holds } from "../../../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../../../support/processes/redis-server.ts";
import { spawnChild } from "../../../../../support/processes/spawn-child.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const WORK = { ...DEFAULT_QUEUE, owner: "w" };
const WITHIN = { withinMs: 20_000 };
const WORKER = new URL("../../../../../support/processes/queue-worker.ts", import.meta.url).pathname;

const entries = (count: number): readonly QueueEntry[] =>
  Array.from({ length: count }, (_, n) => ({ key: `t${n}/-|Machine|default/m${n}`, priority: "live" }));

function connection(url: string): AsyncDisposable & { readonly redis: Redis } {
  const redis = new Redis(url);
  return { redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
}

/** Returns the log lines as `level message`. */
function recordingLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (_fields: object, message: string) => void lines.push(`${level} ${message}`);
  return { log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, lines };
}

/** A worker process and what it has printed. */
function startWorker(
  ...args: readonly string[]
): Disposable & { readonly child: ChildProcess; readonly lines: string[] } {
  const child = spawnChild(process.execPath, [WORKER, ...args], { stdio: ["ignore", "pipe", "inherit"] });
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

  it("Q-29: a pause by BullMQ itself is a state of the function, also for who only looks, until BullMQ resumes it", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    await using connected = connection(redis.url);
    await using closed = new AsyncDisposableStack();
    const bull = new BullQueue("run", { connection: connected.redis, prefix: "{cap:f}" });
    closed.defer(() => bull.close());
    let runs = 0;
    await using _worker = await queue.work("f", WORK, async () => {
      runs += 1;
      return OK;
    });
    expect((await queue.depth("f")).pausedInBullmq).toBeUndefined();
    await bull.pause();
    expect(await queue.depth("f")).toMatchObject({ pausedInBullmq: true });
    expect(await queue.peek("f")).toMatchObject({ pausedInBullmq: true });
    await queue.enqueue("f", entries(3));
    await holds(() => runs === 0, { forMs: 200, stepMs: 50 });
    await bull.resume();
    await eventually(() => runs === 3, WITHIN);
    expect((await queue.depth("f")).pausedInBullmq).toBeUndefined();
  });

  it("Q-04: tokens that are lost or doubled lose no key", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog, resendMs: 100 });
    const thief = new Redis(redis.url);
    await queue.enqueue("f", entries(20));
    const tokens = await thief.lrange("{cap:f}:run:wait", 0, -1);
    // On a slow machine they have been sent again already.
    expect(tokens.length).toBeGreaterThanOrEqual(20);
    await thief.del("{cap:f}:run:wait");
    await eventually(async () => (await thief.llen("{cap:f}:run:wait")) >= 20, WITHIN);
    await thief.rpush("{cap:f}:run:wait", ...tokens);
    thief.disconnect();
    const keys: string[] = [];
    await using _worker = await queue.work("f", WORK, async ({ key }) => {
      keys.push(key);
      return OK;
    });
    await eventually(async () => {
      const { ready, running } = await queue.depth("f");
      return ready + running === 0;
    }, WITHIN);
    expect(new Set(keys)).toEqual(new Set(entries(20).map(({ key }) => key)));
    expect(keys).toHaveLength(20);
  });

  it("Q-11, Q-31: resync tokens stand behind live ones, and jobs carry nothing but the token", async () => {
    await using redis = await startRedis();
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    await queue.enqueue("f", [
      { key: "a", priority: "resync" },
      { key: "b", priority: "live" },
    ]);
    const reader = new Redis(redis.url);
    const [job] = await reader.lrange("{cap:f}:run:wait", 0, -1);
    expect(await reader.hgetall(`{cap:f}:run:${job}`)).toMatchObject({
      data: expect.stringMatching(/^\{"k":"b","s":"[0-9a-f]+-\d+"\}$/),
      priority: "0",
    });
    expect(await reader.zcard("{cap:f}:run:prioritized")).toBe(1);
    reader.disconnect();
  });

  it("Q-28: acknowledges messages that are not tokens, records them as Malformed, and runs the real token", async () => {
    await using redis = await startRedis();
    const failed: FailedRun[] = [];
    const { log, lines } = recordingLog();
    const noteFailure = async (run: FailedRun) => void failed.push(run);
    await using queue = await createBullmqQueue({ url: redis.url, log, noteFailure });
    await using open = connection(redis.url);
    const stranger = new BullQueue("run", { connection: open.redis, prefix: "{cap:f}" });
    const garbage = [
      {},
      { k: 7, s: "1" },
      { k: "no key", s: "1" },
      { k: "", s: "1" },
      { k: "a", s: "1", x: 1 },
    ];
    for (const data of garbage) await stranger.add("r", data);
    await queue.enqueue("f", entries(1));
    const keys: string[] = [];
    await using _worker = await queue.work("f", WORK, async ({ key }) => {
      keys.push(key);
      return OK;
    });
    await eventually(() => failed.length === garbage.length && keys.length === 1, WITHIN);
    expect(failed.map(({ key, death }) => `${key} ${death?.reason}`)).toEqual(
      garbage.map(() => "malformed-token Malformed"),
    );
    await eventually(async () => (await stranger.count()) + (await stranger.getActiveCount()) === 0, WITHIN);
    expect(await queue.depth("f")).toMatchObject({ ready: 0, running: 0, dead: 0 });
    expect(lines.filter((line) => line.startsWith("warn a message is not a token"))).toHaveLength(5);
    await stranger.close();
  });

  it("removes jobs that have lost their place in every list", async () => {
    await using redis = await startRedis();
    await using admin = connection(redis.url);
    await admin.redis.hset("{cap:f}:run:77", { name: "r", data: '{"k":"a","s":"b"}', timestamp: "1" });
    await using queue = await createBullmqQueue({ url: redis.url, log: silentLog });
    await queue.enqueue("f", entries(1));
    await eventually(async () => (await admin.redis.exists("{cap:f}:run:77")) === 0, WITHIN);
    expect(await queue.depth("f")).toMatchObject({ ready: 1 });
  });

  it("refuses a Redis that evicts data", async () => {
    await using redis = await startRedis(["maxmemory 100mb", "maxmemory-policy allkeys-lru"]);
    await expect(createBullmqQueue({ url: redis.url, log: silentLog })).rejects.toThrow(
      "may evict data (maxmemory-policy allkeys-lru); set maxmemory-policy noeviction",
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
    expect(await queue.depth("f")).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
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
