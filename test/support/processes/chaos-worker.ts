import { Redis } from "ioredis";
import { createBullmqQueue } from "../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { createSqsQueue } from "../../../infra/queue/backends/sqs/sqs.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { silentLog } from "../silent-log.ts";
import { sqsTarget } from "./sqs.ts";

/**
 * A worker process for the chaos tests: `node chaos-worker.ts <redis url> <function> [sqs endpoint]`. A run writes the
 * version of its key that it has seen to the hash `seen`, and counts in `overlaps` when it meets another run of the
 * same key whose process is still alive.
 */
const [url = "", functionName = "", endpoint] = process.argv.slice(2);
const notes = new Redis(url);
const timing = { leaseMs: 3_000, renewMs: 500 };
const common = { url, log: silentLog, timing, resendMs: 300 };
const queue =
  endpoint === undefined
    ? await createBullmqQueue(common)
    : await createSqsQueue({ ...common, ...sqsTarget({ endpoint }), waitSeconds: 1 });
const options = { ...DEFAULT_QUEUE, concurrency: 8, owner: `pid-${process.pid}` };
await queue.work(functionName, options, async ({ key, signal }) => {
  const [before, version] = await Promise.all([
    notes.getset(`run:${key}`, `${process.pid}`),
    notes.hget("versions", key),
  ]);
  if (before !== null && isAlive(Number(before))) await notes.incr("overlaps");
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  if (signal.aborted) await notes.incr("lost");
  await Promise.all([notes.del(`run:${key}`), notes.hset("seen", key, version ?? "")]);
  await notes.incr("runs");
  return Math.random() < 0.1
    ? {
        type: "error",
        failure: { class: "Transient", reason: "Chance", message: "no" },
        terminal: false,
        requested: false,
        fences: [],
      }
    : { type: "ok", requested: false, fences: [] };
});
console.log("ready");

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
