import type { Parts } from "../backend.ts";
import { redisBackend } from "../redis/backend.ts";
import type { RedisAddress } from "../redis/server/connection.ts";
import { parseSqsUrl } from "./sqs-url.ts";

/** Keeps everything in a Redis, as the other one, but SQS carries the tokens. */
export function sqsBackend(url: string, address: RedisAddress): Parts {
  const target = { ...address, ...parseSqsUrl(url) };
  return {
    ...redisBackend(address),
    async queue({ noteHint: _, ...ports }) {
      const { createSqsQueue } = await import("./sqs.ts");
      return createSqsQueue({ ...target, ...ports });
    },
    async pushed({ noteHint: _, ...ports }) {
      const { createPushedSqsQueue } = await import("./sqs.ts");
      return createPushedSqsQueue({ ...target, ...ports });
    },
  };
}
