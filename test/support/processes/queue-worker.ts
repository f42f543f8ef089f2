import { createBullmqQueue } from "../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { silentLog } from "../silent-log.ts";

/**
 * A worker process for tests that kill one: `node queue-worker.ts <redis url> <function> <ms per run>`. Prints
 * `start <key>` and `end <key>`, one line per run.
 */
const [url = "", functionName = "", runMs = "0"] = process.argv.slice(2);
const queue = await createBullmqQueue({ url, log: silentLog, timing: { leaseMs: 1_500, renewMs: 400 } });
const options = { ...DEFAULT_QUEUE, concurrency: 4, owner: `pid-${process.pid}` };
await queue.work(functionName, options, async ({ key }) => {
  console.log(`start ${key}`);
  await new Promise((resolve) => setTimeout(resolve, Number(runMs)));
  console.log(`end ${key}`);
  return { type: "ok", requested: false, fences: [] };
});
