import type { NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { NoteCount, Queue } from "../../shared/runtime/queue/queue-port.ts";
import { isRedisUrl } from "./ledger-url.ts";
import type { LedgerLimits } from "./limits.ts";
import { type QueueSource, redisOf } from "./queue-source.ts";
import type { OpenLedger } from "./redis/open-ledger.ts";
import { parseSqsUrl } from "./sqs/sqs-url.ts";

export interface SharedQueuePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly noteFailure: NoteFailure;
  readonly noteCount?: NoteCount;
  readonly limits?: Partial<LedgerLimits>;
}

/** Opens the queue that several processes share: BullMQ for `redis://`, SQS for `sqs://`. Loads only that driver. */
export async function openSharedQueue(source: QueueSource, ports: SharedQueuePorts): Promise<Queue> {
  if (isRedisUrl(source.url)) {
    const { createBullmqQueue } = await import("./bullmq/bullmq.ts");
    return createBullmqQueue({ ...source, ...ports });
  }
  const target = { ...source, ...parseSqsUrl(source.url) };
  const { createSqsQueue } = await import("./sqs/sqs.ts");
  return createSqsQueue({ ...target, ...ports });
}

/**
 * Opens the ledger of a shared queue for a process that runs no keys: as Redis user `observer` to look at it, as
 * `operator` also to pause, resume and requeue.
 */
export async function openSharedLedger(
  source: QueueSource,
  { log }: { readonly log: Log },
): Promise<OpenLedger> {
  const redis = redisOf(source);
  if (redis === undefined) throw new Error("a queue in memory can be reached by its own process only");
  const { openRedisLedger } = await import("./redis/open-ledger.ts");
  return openRedisLedger({ ...redis, log });
}
