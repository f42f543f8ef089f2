import type { QueueControl } from "../../../../../shared/runtime/queue/queue-control.ts";
import type { QueueReader } from "../../../../../shared/runtime/queue/queue-reader.ts";
import { checkSeen, requeuedOf } from "../../../dead-as-seen.ts";
import { checkFunctionName } from "../../../function-name.ts";
import { readerOf } from "../../../tokens/reader-of.ts";
import { connectRedis, endConnection, type RedisTarget } from "../server/connection.ts";
import { createRedisLedger } from "./redis-ledger.ts";

/** The ledger of a queue, without workers. */
export interface OpenLedger extends QueueReader, QueueControl, AsyncDisposable {}

/**
 * Opens the ledger in Redis for a process that neither runs keys nor ticks. Looking needs Redis user `observer`, the
 * rest `operator`. No token is sent: keys that it makes ready wait for the next tick of a worker or relay. Throws
 * when Redis cannot be reached or evicts data.
 */
export async function openRedisLedger(target: RedisTarget): Promise<OpenLedger> {
  const redis = await connectRedis(target);
  const ledger = await createRedisLedger({ producer: redis, worker: redis, window: 0 });
  const pause = async (name: string, paused: boolean): Promise<boolean> =>
    (await ledger.pause(checkFunctionName(name), paused)).accepted;
  return {
    ...readerOf(ledger),
    pause: (name) => pause(name, true),
    resume: (name) => pause(name, false),
    requeue: async (name, seen, cause) => {
      checkSeen(seen);
      const { done } = await ledger.requeue(checkFunctionName(name), seen, cause);
      return requeuedOf(seen, done, (key) => ledger.keyState(name, key));
    },
    [Symbol.asyncDispose]: () => endConnection(redis),
  };
}
