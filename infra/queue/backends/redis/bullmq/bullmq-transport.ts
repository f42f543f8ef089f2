import type { Job } from "bullmq";
import * as z from "zod";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../../shared/runtime/ports.ts";
import type { MalformedToken } from "../../../tokens/malformed-token.ts";
import type { Token } from "../../../tokens/token-ledger.ts";
import type { Receiver, Transport } from "../../../tokens/token-transport.ts";
import { functionTag, type RedisConnection } from "../server/shards.ts";

/** 0 is BullMQ's plain list, served before every other number. */
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

const tokenSchema = z.strictObject({ k: z.string().min(1), s: z.string().max(128) });

export interface BullmqTransportOptions {
  readonly functionName: string;
  readonly producer: RedisConnection;
  /** The connection with maxRetriesPerRequest null. */
  readonly worker: RedisConnection;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends tokens of one function as jobs `{k, s}` of the BullMQ queue `run` under `{cap:<function>}`. */
export async function createBullmqTransport(options: BullmqTransportOptions): Promise<Transport> {
  const { Queue, Worker } = await import("bullmq");
  const { functionName, producer, worker, clock, log } = options;
  const prefix = functionTag(functionName, producer);
  const onError = (error: Error): void =>
    log.debug({ function: functionName, error: error.message }, "BullMQ reports an error");
  const queue = new Queue("run", {
    connection: producer,
    prefix,
    streams: { events: { maxLen: 100 } },
    skipVersionCheck: true,
  });
  queue.on("error", onError);
  return {
    followsLedger: true,
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
      const receiver = new Worker("run", async (job) => handle(tokenOf(job)), {
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

/** Returns a job, without options where possible: they cost a third of its memory. */
function jobOf({ key, seq, priority, rank = 0 }: Token) {
  const jobPriority = (priority === "live" ? 0 : RESYNC_PRIORITY) + Math.min(rank, MAX_RANK);
  return {
    name: "r",
    data: { k: key, s: seq },
    ...(jobPriority === 0 ? {} : { opts: { priority: jobPriority } }),
  };
}

/** Checks a job: any client of Redis may have added it. */
function tokenOf({ id, data, priority: jobPriority }: Job): Token | MalformedToken {
  const priority = jobPriority < RESYNC_PRIORITY ? "live" : "resync";
  const token = tokenSchema.safeParse(data);
  if (token.success) return { key: token.data.k, seq: token.data.s, priority };
  return { malformed: `BullMQ job ${String(id).slice(0, 40)} is not a token`, priority };
}

/** Limits the time of a close: BullMQ waits for jobs and for Redis without limit. */
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
