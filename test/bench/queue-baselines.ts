import type { Redis } from "ioredis";
import type { Contender } from "./queue-loads.ts";

/** Plain BullMQ: one job per key, nothing else. The driver is compared with it. */
export async function createPlainBullmq(url: string): Promise<Contender> {
  const [{ Queue, Worker }, { Redis }] = await Promise.all([import("bullmq"), import("ioredis")]);
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const prefix = "{plain}";
  const queue = new Queue("run", { connection, prefix, streams: { events: { maxLen: 100 } } });
  return {
    name: "plain BullMQ",
    add: async (keys) => {
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) await queue.add("r", { k: only });
      else await queue.addBulk(keys.map((k) => ({ name: "r", data: { k } })));
    },
    work: async (concurrency, run) => {
      const removal = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } };
      const worker = new Worker("run", async ({ data }) => run(String(data.k)), {
        ...removal,
        connection,
        prefix,
        concurrency,
      });
      return { [Symbol.asyncDispose]: () => worker.close() };
    },
    [Symbol.asyncDispose]: async () => {
      await queue.close();
      connection.disconnect();
    },
  };
}

const LIST = "bare";

/** LPUSH and RPOP in a loop: what the server and the client can do at most. */
export async function createBareList(url: string): Promise<Contender> {
  const { Redis } = await import("ioredis");
  const redis = new Redis(url);
  return {
    name: "LPUSH/RPOP",
    add: async (keys) => {
      await redis.lpush(LIST, ...keys);
    },
    work: async (concurrency, run) => {
      const stop = new AbortController();
      const loops = Array.from({ length: concurrency }, () => popUntil(redis, run, stop.signal));
      return {
        [Symbol.asyncDispose]: async () => {
          stop.abort();
          await Promise.all(loops);
        },
      };
    },
    [Symbol.asyncDispose]: async () => redis.disconnect(),
  };
}

async function popUntil(redis: Redis, run: (key: string) => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const key = await redis.rpop(LIST);
    if (key === null) await new Promise((resolve) => setTimeout(resolve, 1));
    else await run(key);
  }
}
