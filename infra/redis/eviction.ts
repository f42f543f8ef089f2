import type { Redis } from "ioredis";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { evictionReason } from "./checks.ts";

const LOOK_EVERY_MS = 30 * SECOND;

export interface EvictionWatch extends Disposable {
  /** The reason why the server may evict data; undefined while it may not. */
  readonly reason: string | undefined;
}

export interface EvictionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the server can no longer evict data; until now it may have evicted some. */
  readonly onMended: () => void;
}

/**
 * Checks every 30 s, and at once when the server is back, whether the server may now evict data. Logs each change once.
 */
export function watchEviction(redis: Redis, { clock, log, onMended }: EvictionOptions): EvictionWatch {
  let reason: string | undefined;
  let ended: boolean = false;
  const look = async (): Promise<void> => {
    const before = reason;
    reason = evictionReason(await redis.info("memory"));
    if (ended || (reason === undefined) === (before === undefined)) return;
    if (reason !== undefined) {
      log.error({ error: reason }, "Redis may evict keys of the queue");
    } else {
      log.info({}, "Redis no longer evicts data; a resync finds what it may have lost");
      onMended();
    }
  };
  // While the server is away the connection logs it, and `ready` checks again.
  const lookIfThere = (): Promise<void> => look().catch(() => undefined);
  const onReady = (): void => void lookIfThere();
  let cancel = (): void => undefined;
  const lookLater = (): void => {
    if (!ended) cancel = clock.after(LOOK_EVERY_MS, () => void lookIfThere().then(lookLater));
  };
  redis.on("ready", onReady);
  lookLater();
  return {
    get reason() {
      return reason;
    },
    [Symbol.dispose]: () => {
      ended = true;
      cancel();
      redis.off("ready", onReady);
    },
  };
}
