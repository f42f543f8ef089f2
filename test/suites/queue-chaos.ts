import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, it } from "vitest";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { eventually } from "../support/eventually.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";

export interface QueueChaosSuite {
  readonly name: string;
  readonly create: () => Promise<QueueUnderFire>;
}

interface QueueUnderFire extends AsyncDisposable {
  /** Of the producer; resends after 300 ms. */
  readonly queue: Queue;
  readonly redisUrl: string;
  /** Further arguments of `chaos-worker.ts`. */
  readonly workerArguments: readonly string[];
  /** Throws all tokens of the moment away. */
  loseTokens(): Promise<void>;
  /** Every token of the moment is delivered once more. */
  doubleTokens(): Promise<void>;
}

export const CHAOS_FUNCTION = "chaos";
const WORKER = new URL("../support/processes/chaos-worker.ts", import.meta.url).pathname;
const KEYS = Array.from({ length: 80 }, (_, n) => `t${n % 4}/-|Machine|default/m${n}`);
const ROUNDS = 24;

/** A worker process that is up. */
async function startWorker({ redisUrl, workerArguments }: QueueUnderFire): Promise<ChildProcess> {
  const child = spawnChild(process.execPath, [WORKER, redisUrl, CHAOS_FUNCTION, ...workerArguments], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

/** Two worker processes, one of which is always about to be killed, and a transport that cannot be trusted. */
export function queueChaosSuite({ name, create }: QueueChaosSuite): void {
  it(`Q-02, Q-04, Q-13: no overlap and no lost key on the ${name} queue under SIGKILL, lost and doubled tokens`, async () => {
    await using under = await create();
    const { queue } = under;
    const redis = new Redis(under.redisUrl);
    using stack = new DisposableStack();
    stack.defer(() => redis.disconnect());
    const workers = await Promise.all([startWorker(under), startWorker(under)]);
    stack.defer(() => {
      for (const worker of workers) worker.kill("SIGKILL");
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      await redis.hset("versions", Object.fromEntries(KEYS.map((key) => [key, `${round}`])));
      await queue.enqueue(
        CHAOS_FUNCTION,
        KEYS.map((key, n) => ({ key, priority: n % 3 === 0 ? "resync" : "live" })),
      );
      if (round % 4 === 1) await under.loseTokens();
      if (round % 4 === 2) await under.doubleTokens();
      if (round % 4 === 3) {
        const victim = (round >> 2) % 2;
        workers[victim]?.kill("SIGKILL");
        workers[victim] = await startWorker(under);
      }
      // Load, not synchronisation.
      await setTimeout(50);
    }
    await eventually(
      async () => {
        const { ready, waiting, running, dead } = await queue.depth(CHAOS_FUNCTION);
        expect({ ready, waiting, running, dead }).toEqual({ ready: 0, waiting: 0, running: 0, dead: 0 });
      },
      { withinMs: 60_000 },
    );
    const seen = await redis.hgetall("seen");
    expect(KEYS.filter((key) => seen[key] !== String(ROUNDS))).toEqual([]);
    expect(Number((await redis.get("overlaps")) ?? 0)).toBe(0);
    // Nothing is left of the keys but the epoch, and for a second the mark of who ticks.
    const left = await redis.keys(`{cap:${CHAOS_FUNCTION}}:l:*`);
    expect(left.filter((key) => !key.endsWith(":l:ticks"))).toEqual([`{cap:${CHAOS_FUNCTION}}:l:meta`]);
  });
}
