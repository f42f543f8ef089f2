import type { Redis } from "ioredis";
import { MINUTE, SECOND } from "../../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../../shared/runtime/ports.ts";
import { type AcceptedRisk, evictionReason, PROBE } from "./checks.ts";
import { endConnection, refusalIn } from "./connection.ts";

const LOOK_EVERY_MS = 5 * SECOND;

export interface ServerWatch extends Disposable {
  /** Why the server that answers cannot hold the queue: it refuses writes, or may evict data; undefined when it can. */
  readonly reason: string | undefined;
  /** Looks now. */
  look(): Promise<void>;
  /** Runs a write, and notes whether the server refused it. */
  watch<T>(write: () => Promise<T>): Promise<T>;
}

export interface ServerWatchOptions extends AcceptedRisk {
  readonly clock: Clock;
  readonly log: Log;
  /** Called when the server takes writes again, or can no longer evict data; until now something may have been lost. */
  readonly onMended: () => void;
  /** Connections that leave together for a server that takes writes. */
  readonly connections: Iterable<Redis>;
  /** Tag of the key that it writes. Default: the same on every server. */
  readonly probe?: (() => string) | undefined;
}

/**
 * Writes every 5 s, and at once when the server is back: an open connection does not say what its server does, which may
 * be full, without replicas, or replaced by another one at its address. Logs each change once.
 */
export function watchServer(
  redis: Redis,
  { clock, log, onMended, connections, mayLoseData, probe = () => PROBE }: ServerWatchOptions,
): ServerWatch {
  let eviction: string | undefined;
  let refusal: string | undefined;
  let ended: boolean = false;
  const noteEviction = (found: string | undefined): void => {
    const before = eviction;
    eviction = found;
    if (ended || (found === undefined) === (before === undefined)) return;
    if (found !== undefined) {
      log.error({ error: found }, "Redis may evict keys of the queue");
    } else {
      log.info({}, "Redis no longer evicts data; a resync finds what it may have lost");
      onMended();
    }
  };
  const noteRefusal = (found: string | undefined): void => {
    const before = refusal;
    refusal = found;
    if (ended || (found === undefined) === (before === undefined)) return;
    if (found !== undefined) {
      log.error({ error: found }, "Redis refuses events; they wait in this process");
    } else {
      log.info({}, "Redis accepts events again");
      onMended();
    }
  };
  const watch: ServerWatch["watch"] = async (write) => {
    try {
      const result = await write();
      noteRefusal(undefined);
      return result;
    } catch (error) {
      // While the server is away the connection says so.
      const found = error instanceof Error ? refusalIn(error) : undefined;
      if (found !== undefined) noteRefusal(found);
      throw error;
    }
  };
  const look = async (): Promise<void> => {
    noteEviction(evictionReason(await redis.info("memory"), { mayLoseData }));
    await watch(() => write(redis, probe())).catch(() => undefined);
    if (refusal === undefined || ended || !(await anotherTakesWrites(redis, probe()))) return;
    for (const each of connections) if (each.status === "ready") each.disconnect(true);
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
      return refusal === undefined ? eviction : `it refuses writes: ${refusal}`;
    },
    look: lookIfThere,
    watch,
    [Symbol.dispose]: () => {
      ended = true;
      cancel();
      redis.off("ready", onReady);
    },
  };
}

async function write(redis: Redis, tag: string): Promise<void> {
  await redis.set(`${tag}:writes`, "1", "PX", MINUTE);
}

/**
 * Opens a new connection where the present server refuses writes: the address may lead to another one by now. The present
 * connections stay until then, since reads and the ends of runs still work on a server that is full.
 */
async function anotherTakesWrites(redis: Redis, tag: string): Promise<boolean> {
  const another = redis.duplicate({ lazyConnect: true, retryStrategy: () => null });
  another.on("error", () => undefined);
  try {
    await another.connect();
    await write(another, tag);
    return true;
  } catch {
    return false;
  } finally {
    await endConnection(another);
  }
}
