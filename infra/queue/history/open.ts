import type { RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { type QueueSource, redisOf } from "../queue-source.ts";

export interface RunHistoryOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Bound of `--history-mb`; 0 = off. */
  readonly megabytes?: number | undefined;
}

/** Bound of `--history-mb` where nothing else is said. */
const HISTORY_MB = { memory: 32, redis: 256 } as const;

/** Opens the run history of a queue: in memory, or beside its ledger. Returns undefined when it is off. */
export async function openRunHistory(
  source: QueueSource,
  { clock, log, megabytes }: RunHistoryOptions,
): Promise<RunHistory | undefined> {
  if (megabytes === 0) return undefined;
  const redis = redisOf(source);
  if (redis === undefined) {
    const { createMemoryRunHistory } = await import("./memory.ts");
    return createMemoryRunHistory({ clock, maxBytes: (megabytes ?? HISTORY_MB.memory) * MIB });
  }
  const { createRedisRunHistory } = await import("./redis.ts");
  return createRedisRunHistory({ ...redis, clock, log, maxBytes: (megabytes ?? HISTORY_MB.redis) * MIB });
}

const MIB = 2 ** 20;
