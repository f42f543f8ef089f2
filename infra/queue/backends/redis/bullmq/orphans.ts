import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { MINUTE } from "../../../../../shared/function/backoff.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import { type RedisConnection, serversOf } from "../server/shards.ts";

const SEARCH_EVERY_MS = MINUTE;
/** Shorter than the period of a process: alone, it must not prevent its own next search. */
const TURN_MS = 0.9 * SEARCH_EVERY_MS;
const TURN = "{cap:tokens}:searched";
/** Names of Redis that are looked at by one command: it holds up all others for about a millisecond. */
const NAMES_AT_ONCE = 1_000;
/** Names that may be a job of the queue `run` of a function: no other name that BullMQ gives there begins with a digit. */
const MAY_BE_JOB = "{cap:*}:run:[0-9]*";
const JOB = /^(?<prefix>\{cap:.+\}):run:(?<id>\d+)$/;

export interface OrphanOptions {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/**
 * Removes jobs that a partial loss of data has left without a place in any list, so that no worker would ever take
 * them: now, and every minute. A search reads the names of all keys of Redis, a million and more with the
 * history of a large fleet: so one search serves all functions, and of all processes one searches in a minute. Returns a
 * function that stops it.
 */
export function removeOrphans({ redis, clock, onError }: OrphanOptions): () => void {
  let stopped = false;
  let cancel = (): void => undefined;
  const searchInTurn = async (): Promise<void> => {
    const mine = await redis.set(TURN, "1", "PX", TURN_MS, "NX");
    if (mine !== null) await search(redis, () => stopped);
  };
  const searchThenWait = async (): Promise<void> => {
    await searchInTurn().catch(onError);
    if (!stopped) cancel = clock.after(SEARCH_EVERY_MS, () => void searchThenWait());
  };
  void searchThenWait();
  return () => {
    stopped = true;
    cancel();
  };
}

/** Searches server by server: all of a function lies on one of them, and BullMQ looks on the one that it gets. */
async function search(redis: RedisConnection, isStopped: () => boolean): Promise<void> {
  for (const server of serversOf(redis)) await searchOn(server, isStopped);
}

async function searchOn(redis: Redis, isStopped: () => boolean): Promise<void> {
  await using queues = new Queues(redis);
  const cleared = new Set<string>();
  let cursor = "0";
  do {
    const [next, names] = await redis.scan(cursor, "MATCH", MAY_BE_JOB, "COUNT", NAMES_AT_ONCE);
    for (const name of names) {
      const { prefix, id } = JOB.exec(name)?.groups ?? {};
      if (prefix === undefined || id === undefined || cleared.has(prefix) || isStopped()) continue;
      const queue = await queues.under(prefix);
      // A job that has ended meanwhile has no place either, and no record.
      if ((await queue.getJobState(id)) !== "unknown" || (await redis.exists(name)) === 0) continue;
      cleared.add(prefix);
      await queue.removeOrphanedJobs();
    }
    cursor = next;
  } while (cursor !== "0" && !isStopped());
}

/** BullMQ's queues of all functions with jobs, also of those that this process does not serve. */
class Queues implements AsyncDisposable {
  readonly #redis: Redis;
  readonly #byPrefix = new Map<string, Queue>();

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  async under(prefix: string): Promise<Queue> {
    const known = this.#byPrefix.get(prefix);
    if (known !== undefined) return known;
    const { Queue } = await import("bullmq");
    const connection = this.#redis;
    const queue = new Queue("run", { connection, prefix, skipVersionCheck: true, skipMetasUpdate: true });
    // Its commands reject as well.
    queue.on("error", () => undefined);
    this.#byPrefix.set(prefix, queue);
    return queue;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#byPrefix.values()].map((queue) => queue.close()));
  }
}
