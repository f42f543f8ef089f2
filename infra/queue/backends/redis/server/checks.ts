import type { Redis } from "ioredis";
import type { Log } from "../../../../../shared/runtime/ports.ts";

/** A Redis URL without its password, for messages. */
export interface CheckedUrl {
  readonly shown: string;
  readonly loopback: boolean;
}

/** The risk that an operator has accepted, of a Redis that is rented and hides its settings. */
export interface AcceptedRisk {
  readonly mayLoseData?: boolean | undefined;
}

const ACCEPT = "accept with --redis-may-lose-data that queue and read model may be lost with it";

/** Throws when the text is not a Redis URL, or names a server beyond loopback without TLS or without a user (S-23). */
export function checkRedisUrl(url: string): CheckedUrl {
  const problem = problemOfRedisUrl(url);
  if (!URL.canParse(url)) throw new TypeError(`the Redis URL ${problem}`);
  const parsed = new URL(url);
  if (parsed.password !== "") parsed.password = "***";
  if (problem !== undefined) throw new TypeError(`${parsed.href} ${problem}`);
  return { shown: parsed.href, loopback: isLoopback(parsed.hostname) };
}

/** Returns what is wrong with a Redis URL, without a part of it; undefined when it can be used (S-23). */
export function problemOfRedisUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return "is not a URL; expected redis://host:6379";
  const parsed = new URL(url);
  const { protocol, username } = parsed;
  if (protocol !== "redis:" && protocol !== "rediss:") {
    return "is not a Redis URL; expected redis://host:6379 or rediss://host:6379";
  }
  if (isLoopback(parsed.hostname)) return undefined;
  if (protocol !== "rediss:") {
    return "is not loopback, so it needs TLS; write rediss://HOST:6379, with USER:PASSWORD@ before the host";
  }
  return username === ""
    ? "names no user; give Capstan one of its own: USER:PASSWORD@ before the host"
    : undefined;
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

/**
 * Returns why a server with this INFO about its memory may evict data; undefined when it may not. Evicted
 * keys of the ledger would disappear one by one, and nothing repairs that. A server without a limit of its own
 * (`maxmemory 0`) counts too: a limit can be set at any time, and managed servers do.
 */
export function evictionReason(
  memoryInfo: string,
  { mayLoseData = false }: AcceptedRisk = {},
): string | undefined {
  const policy = infoField(memoryInfo, "maxmemory_policy");
  if (policy === "noeviction" || (policy === undefined && mayLoseData)) return undefined;
  const found = policy === undefined ? "it does not show its maxmemory-policy" : `maxmemory-policy ${policy}`;
  const otherwise = policy === undefined ? `, or ${ACCEPT}` : "";
  return `it may evict data (${found}); set maxmemory-policy noeviction${otherwise}`;
}

export async function refuseEviction(redis: Redis, accepted: AcceptedRisk): Promise<void> {
  const reason = evictionReason(await redis.info("memory"), accepted);
  if (reason !== undefined) throw new Error(reason);
}

/** Slots of a Redis Cluster. */
const SLOTS = 16_384;

export const REPLICA = "it is a read-only replica; name the primary";

export function isReplica(replicationInfo: string): boolean {
  return infoField(replicationInfo, "role") === "slave";
}

/**
 * Returns the nodes, `host:port`, of the Redis Cluster of several shards that a server belongs to; undefined for a server
 * that holds all data. Throws for a replica of such a server, and where slots have no owner.
 */
export async function nodesOfShards(redis: Redis): Promise<readonly string[] | undefined> {
  if (infoField(await redis.info("cluster"), "cluster_enabled") !== "1") return undefined;
  const ranges = await redis.cluster("SLOTS");
  const owned = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  if (owned !== SLOTS)
    throw new Error(
      `its Redis Cluster serves ${owned} of ${SLOTS} slots; see redis-cli --cluster check, or name a Redis without cluster mode`,
    );
  const nodes = ranges.map(([, , ...all]) => all.map(([host, port]) => `${host}:${port}`));
  if (new Set(nodes.map(([owner]) => owner)).size > 1) return [...new Set(nodes.flat())];
  if (isReplica(await redis.info("replication"))) throw new Error(REPLICA);
  return undefined;
}

/**
 * Checks that the server keeps leases and backoffs over a restart: logs a warning on loopback or where the loss is accepted,
 * throws elsewhere (S-23).
 */
export async function checkPersistence(
  redis: Redis,
  { shown, loopback }: CheckedUrl,
  { log, mayLoseData = false }: AcceptedRisk & { readonly log: Log },
): Promise<void> {
  const info = await redis.info("persistence");
  if (infoField(info, "aof_enabled") === "1") return;
  // Managed servers do not allow CONFIG GET.
  const shows = (await redis.config("GET", "save").catch(() => undefined)) as readonly string[] | undefined;
  if (shows?.[1]) return;
  const message =
    shows === undefined ? "it does not show that it writes to disk" : "it keeps nothing on disk";
  if (!loopback && !mayLoseData)
    throw new Error(`cannot use Redis at ${shown}: ${message}; set appendonly yes, or ${ACCEPT}`);
  const loses = "a restart may lose queue, dead letters and read model, and costs a full resync";
  log.warn({ redis: shown }, `Redis: ${message}; ${loses}`);
}

/** Tag of the keys by which it is tried whether a server takes writes. */
export const PROBE = "{cap:probe}";

/** Throws when the user lacks a right that the queue needs: now rather than with the first event (S-23). */
export async function checkRights(redis: Redis, { shown }: CheckedUrl, probe = PROBE): Promise<void> {
  const key = `${probe}:rights`;
  // One command of each kind; outside a script, where an older Redis does not say which command was refused.
  const results = await redis
    .pipeline()
    .time()
    .del(key)
    .hset(key, "f", "v")
    .hget(key, "f")
    .del(key)
    .zadd(key, 1, "m")
    .del(key)
    .rpush(key, "m")
    .del(key)
    .xadd(key, "*", "f", "v")
    .del(key)
    .pexpire(key, 1)
    .eval("return redis.call('EXISTS', KEYS[1])", 1, key)
    .call("EVAL_RO", "return redis.call('EXISTS', KEYS[1])", 1, key)
    .exec();
  // Other errors, of a full server for instance, may pass.
  const refused = results?.find(([error]) => NO_RIGHT.test(error?.message ?? ""))?.[0];
  if (refused) throw new Error(`cannot use Redis at ${shown}: ${withAdvice(refused.message)}`);
}

/** A missing right, as Redis says it, and within a script as older versions and Valkey say it. */
const NO_RIGHT = /NOPERM|The user executing the script|ACL failure in script/;

/** Adds the next step where a right is missing. */
export function withAdvice(reason: string): string {
  if (!NO_RIGHT.test(reason)) return reason;
  return `${reason}; give the user the rights that infra/queue/README.md lists`;
}

/** Returns the value of a line `name:value` of INFO. */
export function infoField(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
}
