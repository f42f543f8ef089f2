import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { loadFunctions } from "../../infra/worker/load.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { type Usage, usageOf } from "./capstan-process.ts";
import { printed } from "./console-world.ts";

const MAIN = fileURLToPath(new URL("bull-board-process.ts", import.meta.url));
/** Waiting in each queue. */
const JOBS = 100;

/** bull-board over plain BullMQ: one queue for each function of Capstan. */
export interface BullBoard extends AsyncDisposable {
  readonly link: string;
  readonly queues: number;
  usage(): Promise<Usage>;
}

/** Fills the queues in the Redis at `url` and starts bull-board in a process of its own. */
export async function startBullBoard(url: string): Promise<BullBoard> {
  const names = (await loadFunctions()).map(({ spec }) => spec.name);
  await fillQueues(url, names);
  const child = spawnChild(process.execPath, [MAIN, url, ...names], { stdio: ["ignore", "pipe", "inherit"] });
  const link = await printed(child.stdout, /bull-board: (http:\S+)/);
  return {
    link,
    queues: names.length,
    usage: () => usageOf(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function fillQueues(url: string, names: readonly string[]): Promise<void> {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  for (const name of names) {
    const queue = new Queue(name, { connection });
    await queue.addBulk(Array.from({ length: JOBS }, (_, at) => ({ name: "run", data: { key: `c-${at}` } })));
    await queue.close();
  }
  connection.disconnect();
}
