import type { RedisAddress } from "../../queue/redis-server/connection.ts";
import { parseSqsUrl } from "../../queue/sqs/sqs-url.ts";
import type { Parts } from "../backend.ts";
import { redisBackend } from "../redis/redis.ts";

/** Keeps everything in a Redis, as the other one, but SQS carries the tokens. */
export function sqsBackend(url: string, address: RedisAddress): Parts {
  const target = { ...address, ...parseSqsUrl(url) };
  return {
    ...redisBackend(address),
    async queue({ noteHint: _, ...ports }) {
      const { createSqsQueue } = await import("../../queue/sqs/sqs.ts");
      return createSqsQueue({ ...target, ...ports });
    },
    async pushed({ noteHint: _, ...ports }) {
      const { createPushedSqsQueue } = await import("../../queue/sqs/sqs.ts");
      return createPushedSqsQueue({ ...target, ...ports });
    },
  };
}
