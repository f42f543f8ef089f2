import type { Redis } from "ioredis";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { evictionReason } from "./checks.ts";

const LOOK_EVERY_MS = 30 * SECOND;

export interface EvictionWatch extends Disposable {
  /** Why the server may evict data; undefined while it may not. */
  readonly reason: string | undefined;
}

export interface EvictionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The server may no longer evict data; until now it may have. */
  readonly onMended: () => void;
}

/**
 * Looks every 30 s, and at once when the server is back, whether somebody has allowed it to evict data since the
 * start. Says so once, and once when it is over.
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
      log.info({}, "Redis evicts no data any more; what it may have lost is found by a resync");
      onMended();
    }
  };
  // While the server is away the connection says so, and `ready` looks again.
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
