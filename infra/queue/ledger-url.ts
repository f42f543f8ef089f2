import { parseSqsUrl } from "./sqs/sqs-url.ts";

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

export function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//.test(url);
}
