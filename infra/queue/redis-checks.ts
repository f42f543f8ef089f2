import type { Redis } from "ioredis";
import type { Log } from "../../shared/runtime/ports.ts";

/** A Redis URL without its password, for messages. */
export interface CheckedUrl {
  readonly shown: string;
  readonly loopback: boolean;
}

/** Throws when the text is no Redis URL, or names a server beyond loopback without TLS or without a user (S-23). */
export function checkRedisUrl(url: string): CheckedUrl {
  if (!URL.canParse(url)) throw new TypeError("the Redis URL is not a URL; expected redis://host:6379");
  const parsed = new URL(url);
  const { protocol, username, hostname } = parsed;
  if (parsed.password !== "") parsed.password = "***";
  const shown = parsed.href;
  if (protocol !== "redis:" && protocol !== "rediss:") {
    throw new TypeError(`${shown} is not a Redis URL; expected redis://host:6379 or rediss://host:6379`);
  }
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (!loopback && protocol !== "rediss:") {
    throw new TypeError(`${shown} is not loopback, so it needs TLS; write rediss://user:password@host:6379`);
  }
  if (!loopback && username === "") {
    throw new TypeError(`${shown} names no user; give Capstan one of its own: rediss://user:password@host`);
  }
  return { shown, loopback };
}

/** With eviction, keys of the ledger would disappear one by one, which nothing repairs (queue.md 8). */
export async function refuseEviction(redis: Redis): Promise<void> {
  const info = await redis.info("memory");
  const policy = infoField(info, "maxmemory_policy");
  if (policy === undefined || policy === "noeviction" || infoField(info, "maxmemory") === "0") return;
  throw new Error(`it evicts data (maxmemory-policy ${policy}); set maxmemory-policy noeviction`);
}

/**
 * A server that forgets everything when it restarts is no place for leases and backoffs: a warning on loopback, an
 * error elsewhere (S-23).
 */
export async function checkPersistence(
  redis: Redis,
  { shown, loopback }: CheckedUrl,
  log: Log,
): Promise<void> {
  const info = await redis.info("persistence");
  if (infoField(info, "aof_enabled") === "1") return;
  // Managed servers do not let anybody look.
  const [, save = ""] = (await redis.config("GET", "save").catch(() => [])) as readonly string[];
  if (save !== "") return;
  const message = "it keeps nothing on disk; set appendonly yes";
  if (!loopback) throw new Error(`cannot use Redis at ${shown}: ${message}`);
  log.warn({ redis: shown }, `Redis: ${message}, or a restart costs a full resync`);
}

/** A line `name:value` of INFO. */
export function infoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}
