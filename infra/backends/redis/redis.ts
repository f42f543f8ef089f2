import type { RedisAddress } from "../../queue/redis-server/connection.ts";
import type { Parts } from "../backend.ts";
import { openLetterFile } from "../letter-file.ts";

const HISTORY_MB = 256;
const MIB = 2 ** 20;

/** Keeps everything in one Redis; BullMQ carries the tokens. Its scripts announce changes by themselves. */
export function redisBackend(address: RedisAddress): Parts {
  return {
    async queue({ noteHint: _, ...ports }) {
      const { createBullmqQueue } = await import("../../queue/bullmq/bullmq.ts");
      return createBullmqQueue({ ...address, ...ports });
    },
    async ledger({ log }) {
      const { openRedisLedger } = await import("../../queue/redis/open-ledger.ts");
      return openRedisLedger({ ...address, log });
    },
    async pushed() {
      throw new Error(
        "AWS Lambda takes its events from SQS; name the queue by sqs://REGION?redis=redis://HOST:PORT",
      );
    },
    async store({ kindOf, log }) {
      const { createRedisStore } = await import("../../queue/store/redis.ts");
      return createRedisStore({ ...address, log, ...(kindOf && { kindOf }) });
    },
    async letters({ noteHint: _, ...ports }) {
      const { file, clock, log } = ports;
      if (file !== undefined) return openLetterFile(ports);
      const { createRedisDeadLetters } = await import("../../queue/letters/redis.ts");
      return createRedisDeadLetters({ ...address, clock, log });
    },
    async history({ clock, log, megabytes = HISTORY_MB }) {
      if (megabytes === 0) return undefined;
      const { createRedisRunHistory } = await import("../../queue/history/redis.ts");
      return createRedisRunHistory({ ...address, clock, log, maxBytes: megabytes * MIB });
    },
    async samples({ clock, log }) {
      const { createRedisSamples } = await import("../../queue/samples/redis.ts");
      return createRedisSamples({ ...address, clock, log });
    },
    async hints({ log }) {
      const { openRedisHints } = await import("../../queue/hints/redis.ts");
      return openRedisHints({ ...address, log });
    },
    async heartbeats({ log }) {
      const { createRedisHeartbeats } = await import("../../queue/heartbeats/redis.ts");
      return createRedisHeartbeats({ ...address, log });
    },
    async limit(ports) {
      const { createRedisDeletionLimit } = await import("../../queue/deletion-limit/redis.ts");
      return createRedisDeletionLimit({ ...address, ...ports });
    },
    async tie(cluster, { log }) {
      const { tieRedis } = await import("../../queue/redis-server/owner.ts");
      return tieRedis({ ...address, log }, cluster);
    },
    async lookForOwner(cluster, { log }) {
      const { lookForOwner } = await import("../../queue/redis-server/owner.ts");
      return lookForOwner({ ...address, log }, cluster);
    },
  };
}
