import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import { redisMissing, startRedis } from "../../../infra/bench/redis-server.ts";
import { createBullmqQueue } from "../../../infra/queue/bullmq.ts";
import { eventually } from "../../support/eventually.ts";
import { describeWith } from "../../support/requires.ts";
import { silentLog } from "../../support/silent-log.ts";

const WORKER = new URL("../../support/chaos-worker.ts", import.meta.url).pathname;
const TOKENS = ["{cap:chaos}:run:wait", "{cap:chaos}:run:prioritized"];
const KEYS = Array.from({ length: 80 }, (_, n) => `t${n % 4}/-|Machine|default/m${n}`);
const ROUNDS = 24;

/** A worker process that is up. */
async function startWorker(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [WORKER, url, "chaos"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

/** Every token of the moment is delivered once more. */
async function doubleTokens(redis: Redis): Promise<void> {
  const [wait = ""] = TOKENS;
  const ids = [...(await redis.lrange(wait, 0, -1)), ...(await redis.zrange(TOKENS[1] ?? "", "0", "-1"))];
  const jobs = await Promise.all(ids.map((id) => redis.hgetall(`{cap:chaos}:run:${id}`)));
  for (const [index, job] of jobs.entries()) {
    if (job["data"] === undefined) continue;
    const copy = `copy-${ids[index]}-${Math.random()}`;
    await redis.hset(`{cap:chaos}:run:${copy}`, job);
    await redis.rpush(wait, copy);
  }
}

describeWith(redisMissing())("the bullmq queue under fire", () => {
  it("Q-02, Q-04, Q-13: no overlap and no lost key under SIGKILL, lost and doubled tokens", async () => {
    await using server = await startRedis();
    await using queue = await createBullmqQueue({ url: server.url, log: silentLog, resendMs: 300 });
    const redis = new Redis(server.url);
    using stack = new DisposableStack();
    stack.defer(() => redis.disconnect());
    const workers = await Promise.all([startWorker(server.url), startWorker(server.url)]);
    stack.defer(() => {
      for (const worker of workers) worker.kill("SIGKILL");
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      await redis.hset("versions", Object.fromEntries(KEYS.map((key) => [key, `${round}`])));
      await queue.enqueue(
        "chaos",
        KEYS.map((key, n) => ({ key, class: n % 3 === 0 ? "resync" : "live" })),
      );
      if (round % 4 === 1) await redis.del(...TOKENS);
      if (round % 4 === 2) await doubleTokens(redis);
      if (round % 4 === 3) {
        const victim = (round >> 2) % 2;
        workers[victim]?.kill("SIGKILL");
        workers[victim] = await startWorker(server.url);
      }
      await setTimeout(50);
    }
    await eventually(
      async () => {
        const { ready, waiting, running, dead } = await queue.depth("chaos");
        expect({ ready, waiting, running, dead }).toEqual({ ready: 0, waiting: 0, running: 0, dead: 0 });
      },
      { withinMs: 40_000 },
    );
    const seen = await redis.hgetall("seen");
    expect(KEYS.filter((key) => seen[key] !== String(ROUNDS))).toEqual([]);
    expect(Number((await redis.get("overlaps")) ?? 0)).toBe(0);
    // Nothing is left but the epoch, BullMQ's own bookkeeping and floors that expire.
    expect((await redis.keys("{cap:chaos}:l:*")).sort()).toEqual(["{cap:chaos}:l:meta"]);
  }, 60_000);
});
