import type { Redis } from "ioredis";
import { SECOND } from "../../shared/runtime/backoff.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { Receiver, Token, Transport } from "./token-ledger.ts";

/** 0 is BullMQ's plain list, served before every other number (queue.md 5.2). */
const RESYNC_PRIORITY = 1_000_000;
const MAX_RANK = 9_999;
const SEND_AT_ONCE = 500;
/** Recovery belongs to the ledger; this only clears BullMQ's own list of active jobs. */
const WORKER_OPTIONS = {
  lockDuration: 30 * SECOND,
  stalledInterval: 10 * SECOND,
  maxStalledCount: 1,
  drainDelay: 5,
  runRetryDelay: SECOND,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

export interface BullmqTransportOptions {
  readonly functionName: string;
  readonly producer: Redis;
  /** With maxRetriesPerRequest null. */
  readonly worker: Redis;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tokens of one function as jobs `{k, s}` of the BullMQ queue `run` under `{cap:<function>}` (queue.md 5.2). */
export async function createBullmqTransport(options: BullmqTransportOptions): Promise<Transport> {
  const { Queue, Worker } = await import("bullmq");
  const { functionName, producer, worker, clock, log } = options;
  const prefix = `{cap:${functionName}}`;
  const onError = (error: Error): void =>
    log.debug({ function: functionName, error: error.message }, "BullMQ");
  const queue = new Queue("run", {
    connection: producer,
    prefix,
    streams: { events: { maxLen: 100 } },
    skipVersionCheck: true,
  });
  queue.on("error", onError);
  void removeOrphans(queue).catch(onError);
  return {
    send: async (tokens) => {
      const [only] = tokens;
      if (tokens.length === 1 && only !== undefined) {
        const { name, data, opts } = jobOf(only);
        await queue.add(name, data, opts);
        return;
      }
      for (let start = 0; start < tokens.length; start += SEND_AT_ONCE) {
        await queue.addBulk(tokens.slice(start, start + SEND_AT_ONCE).map(jobOf));
      }
    },
    receive: async (handle, concurrency) => {
      const receiver = new Worker("run", async ({ data, priority }) => handle(tokenOf(data, priority)), {
        ...WORKER_OPTIONS,
        connection: worker,
        prefix,
        concurrency,
        skipVersionCheck: true,
      });
      receiver.on("error", onError);
      return closing(receiver, clock);
    },
    close: () => queue.close(),
  };
}

/** Jobs that a partial loss of data has left without a place in any list: nobody would ever take them. */
async function removeOrphans(queue: { removeOrphanedJobs(): Promise<number> }): Promise<void> {
  while ((await queue.removeOrphanedJobs()) > 0);
}

/** Without options where it can be: they cost a third of the job's memory. */
function jobOf({ key, seq, class: wanted, rank = 0 }: Token) {
  const priority = (wanted === "live" ? 0 : RESYNC_PRIORITY) + Math.min(rank, MAX_RANK);
  return { name: "r", data: { k: key, s: seq }, ...(priority === 0 ? {} : { opts: { priority } }) };
}

/** Whatever the job holds: what is no token of the ledger is stale there. */
function tokenOf(data: unknown, priority: number): Token {
  const { k, s } = typeof data === "object" && data !== null ? (data as { k?: unknown; s?: unknown }) : {};
  return { key: String(k), seq: String(s), class: priority < RESYNC_PRIORITY ? "live" : "resync" };
}

/** A worker's own close waits for its jobs, and for Redis, without limit (queue.md 10). */
function closing(worker: { close(): Promise<void> }, clock: Clock): Receiver {
  return {
    close: async (deadlineMs) => {
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(deadlineMs, late.resolve);
      await Promise.race([worker.close().catch(() => undefined), late.promise]);
      cancel();
    },
  };
}
