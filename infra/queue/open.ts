import type { LastRuns } from "../../shared/runtime/last-run.ts";
import type { NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { NoteCount, Queue } from "../../shared/runtime/queue-port.ts";
import { createMemoryLastRuns } from "./last-runs.ts";
import { parseSqsUrl } from "./sqs/sqs-url.ts";

export interface SharedQueuePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly noteFailure: NoteFailure;
  readonly noteCount?: NoteCount;
}

/**
 * Returns the URL of the Redis that holds ledger, read model and dead letters of a `--queue`; `memory` as it is. Throws
 * for any other text, without showing it: it may contain a password.
 */
export function ledgerUrl(queue: string): string {
  if (queue === "memory" || isRedisUrl(queue)) return queue;
  if (queue.startsWith("sqs:")) return parseSqsUrl(queue).url;
  throw new Error(
    "--queue is not a queue; use memory, a URL such as redis://127.0.0.1:6379, " +
      "or one such as sqs://eu-west-1?redis=redis://127.0.0.1:6379",
  );
}

/** Opens the queue that several processes share: BullMQ for `redis://`, SQS for `sqs://`. Loads only that driver. */
export async function openSharedQueue(url: string, ports: SharedQueuePorts): Promise<Queue> {
  if (isRedisUrl(url)) {
    const { createBullmqQueue } = await import("./bullmq/bullmq.ts");
    return createBullmqQueue({ url, ...ports });
  }
  const target = parseSqsUrl(url);
  const { createSqsQueue } = await import("./sqs/sqs.ts");
  return createSqsQueue({ ...target, ...ports });
}

/** Opens the store in which the workers of a queue note their last runs: in memory, or beside the ledger. */
export async function openLastRuns(
  queue: string,
  ports: Pick<SharedQueuePorts, "clock" | "log">,
): Promise<LastRuns> {
  const url = ledgerUrl(queue);
  if (url === "memory") return createMemoryLastRuns();
  const { createRedisLastRuns } = await import("./redis/redis-last-runs.ts");
  return createRedisLastRuns({ url, ...ports });
}

function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//.test(url);
}
