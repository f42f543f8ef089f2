import type { Parts } from "../backend.ts";
import { openLetterFile } from "../open-letter-file.ts";
import type { RedisAddress } from "./server/connection.ts";

const HISTORY_MB = 256;
const MIB = 2 ** 20;

/** Keeps everything in one Redis; BullMQ carries the tokens. Its scripts announce changes by themselves. */
export function redisBackend(address: RedisAddress): Parts {
  return {
    async queue({ noteHint: _, ...ports }) {
      const { createBullmqQueue } = await import("./bullmq/bullmq.ts");
      return createBullmqQueue({ ...address, ...ports });
    },
    async ledger({ log }) {
      const { openRedisLedger } = await import("./ledger/open-ledger.ts");
      return openRedisLedger({ ...address, log });
    },
    async pushed() {
      throw new Error(
        "AWS Lambda takes its events from SQS; name the queue by sqs://REGION?redis=redis://HOST:PORT",
      );
    },
    async store({ kindOf, log }) {
      const { createRedisStore } = await import("./store/store.ts");
      return createRedisStore({ ...address, log, ...(kindOf && { kindOf }) });
    },
    async letters({ noteHint: _, ...ports }) {
      const { file, clock, log } = ports;
      if (file !== undefined) return openLetterFile(ports);
      const { createRedisDeadLetters } = await import("./letters/letters.ts");
      return createRedisDeadLetters({ ...address, clock, log });
    },
    async history({ clock, log, megabytes = HISTORY_MB }) {
      if (megabytes === 0) return undefined;
      const { createRedisRunHistory } = await import("./history/history.ts");
      return createRedisRunHistory({ ...address, clock, log, maxBytes: megabytes * MIB });
    },
    async samples({ clock, log }) {
      const { createRedisSamples } = await import("./samples.ts");
      return createRedisSamples({ ...address, clock, log });
    },
    async hints({ log }) {
      const { openRedisHints } = await import("./hints.ts");
      return openRedisHints({ ...address, log });
    },
    async heartbeats({ log }) {
      const { createRedisHeartbeats } = await import("./heartbeats/heartbeats.ts");
      return createRedisHeartbeats({ ...address, log });
    },
    async limit(ports) {
      const { createRedisDeletionLimit } = await import("./deletion-limit/deletion-limit.ts");
      return createRedisDeletionLimit({ ...address, ...ports });
    },
    async tie(cluster, { log }) {
      const { tieRedis } = await import("./server/owner.ts");
      return tieRedis({ ...address, log }, cluster);
    },
    async lookForOwner(cluster, { log }) {
      const { lookForOwner } = await import("./server/owner.ts");
      return lookForOwner({ ...address, log }, cluster);
    },
  };
}
