import type { LedgerLimits } from "../../limits.ts";
import { AGED_SCORE, ledgerPrefix, RESYNC_SCORE } from "../redis/ledger/redis-scripts.ts";
import type { TinyRedis } from "./tiny-redis.ts";

/**
 * Returns when a tick of a function has work, in ms since 1970, from the data of its ledger (`../redis/ledger/lua/ledger.lua`):
 * a process that has a ledger for itself need not ask it every 250 ms. A lost token waits for a tick without a cause.
 */
export function nextTickAt(redis: TinyRedis, functionName: string, limits: LedgerLimits): number | undefined {
  const prefix = ledgerPrefix(functionName);
  const indexOf = (name: string) => redis.sorted(prefix + name);
  const firstOf = (name: string): number => indexOf(name).range(0, 0)[0]?.score ?? Infinity;
  const ready = indexOf("sent");
  const { from, to } = ready.between(String(RESYNC_SCORE), `(${AGED_SCORE}`);
  const [oldest] = from < to ? ready.slice(from, from + 1) : [];
  const ages = oldest === undefined ? Infinity : oldest.score - RESYNC_SCORE + limits.agingMs;
  const meta = redis.hash(`${prefix}meta`);
  const breaker = meta.get("p") === "1" ? undefined : meta.get("b");
  const isHeldBack = breaker !== undefined && indexOf("queue").size > 0 && indexOf("resend").size === 0;
  const at = Math.min(
    firstOf("waiting"),
    firstOf("running"),
    ages,
    isHeldBack ? Number(breaker) : Infinity,
    hasRoomInSlowLane(redis, prefix, limits)
      ? Math.max(firstOf("dead"), Number(meta.get("z") ?? 0))
      : Infinity,
  );
  return at === Infinity ? undefined : at;
}

/** The state that a tick looks at, beside a breaker that is open. */
const LOOKED_AT = ["waiting", "sent", "running", "dead", "resend", "queue", "tenants", "slow", "capped"];

/** Most functions have no key most of the time, and their ticks would be most of what Lua does. */
export function hasNothingToMove(redis: TinyRedis, functionName: string): boolean {
  const prefix = ledgerPrefix(functionName);
  return !LOOKED_AT.some((name) => redis.has(prefix + name)) && !redis.hash(`${prefix}meta`).has("b");
}

function hasRoomInSlowLane(redis: TinyRedis, prefix: string, { slowAtOnce }: LedgerLimits): boolean {
  const tried = [...redis.set(`${prefix}slow`)].filter((key) => {
    const entry = redis.hash(`${prefix}k:${key}`);
    return entry.has("ds") && entry.get("st") !== "d" && !entry.has("dy");
  });
  return tried.length < slowAtOnce;
}
