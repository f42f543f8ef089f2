import type { Redis } from "ioredis";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { QueueHealth } from "../../shared/runtime/queue-port.ts";
import { checkPersistence, checkRedisUrl, checkRights } from "./checks.ts";
import { watchEviction } from "./eviction.ts";
import { identifyRedis } from "./identity.ts";

/** A shorter outage is answered by the senders' own retries (Q-33). */
const LONG_OUTAGE_MS = 5 * SECOND;

/** What a process knows about the server of its ledger. Disposed, it looks no more. */
export interface RedisHealth extends Disposable {
  healthy(): QueueHealth;
  /** Runs what sends events, and notes whether they were taken. */
  watch<T>(send: () => Promise<T>): Promise<T>;
  /**
   * Changes when data may have been lost: another server process answers, an outage took longer than 5 s, events were
   * refused and are taken again, or the server was allowed to evict data and no longer is. Equal in all processes that have seen nothing of this.
   */
  generation(): Promise<string>;
}

export interface RedisHealthOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks the server's persistence and the user's rights, and watches the server from then on. Throws when it is unsafe
 * (S-23). */
export async function watchRedis(
  redis: Redis,
  { url, clock, log }: RedisHealthOptions,
): Promise<RedisHealth> {
  const checked = checkRedisUrl(url);
  await checkPersistence(redis, checked, log);
  await checkRights(redis, checked);
  let incidents = 0;
  let awayAt: number | undefined;
  let refusal: string | undefined;
  const identity = await identifyRedis(redis);
  let runId = await identity();
  const nowMs = (): number => clock.now().getTime();
  const onMended = (): void => {
    incidents += 1;
  };
  const eviction = watchEviction(redis, { clock, log, onMended });

  redis.on("close", () => {
    awayAt ??= nowMs();
  });
  redis.on("ready", () => {
    if (awayAt !== undefined && nowMs() - awayAt > LONG_OUTAGE_MS) incidents += 1;
    awayAt = undefined;
  });
  return {
    healthy: () => {
      if (redis.status !== "ready") return { ok: false, message: "Redis is unreachable" };
      if (refusal !== undefined) return { ok: false, message: `Redis takes no events: ${refusal}` };
      if (eviction.reason !== undefined) return { ok: false, message: `Redis: ${eviction.reason}` };
      return { ok: true };
    },
    [Symbol.dispose]: () => eviction[Symbol.dispose](),
    watch: async (send) => {
      try {
        const result = await send();
        if (refusal !== undefined) {
          incidents += 1;
          refusal = undefined;
          log.info({}, "Redis takes events again");
        }
        return result;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // What is unreachable is said once by the connection.
        if (refusal === undefined && redis.status === "ready") {
          log.error({ error: reason }, "Redis takes no events; they wait in this process");
        }
        refusal = reason;
        throw error;
      }
    },
    generation: async () => {
      runId = (await identity()) || runId;
      return `${runId}.${incidents}`;
    },
  };
}
