import { setTimeout } from "node:timers/promises";
import { createBullmqQueue } from "../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { groupOf } from "../../../shared/function/groups.ts";
import { LOADS, RUN_MS } from "../loads.ts";
import { silentLog } from "../silent-log.ts";

/**
 * A worker process of one group of `LOADS`, which stops as `capstan worker` does:
 * `node load-worker.ts <redis url> <group>`. Prints `start <key>` and `end <key>`, one line per run.
 */
const [url = "", group = ""] = process.argv.slice(2);
const queue = await createBullmqQueue({ url, log: silentLog });
process.once("SIGTERM", async () => {
  await queue[Symbol.asyncDispose]();
  process.exit(0);
});
for (const { spec } of LOADS.filter((fn) => groupOf(fn.spec) === group)) {
  const options = { ...DEFAULT_QUEUE, ...spec.queue, owner: `pid-${process.pid}` };
  await queue.work(spec.name, options, async ({ key }) => {
    console.log(`start ${key}`);
    await setTimeout(RUN_MS);
    console.log(`end ${key}`);
    return { type: "ok", requested: false, fences: [] };
  });
}
