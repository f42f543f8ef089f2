import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Redis } from "ioredis";
import { backoffMs } from "../../../shared/function/backoff.ts";
import { DURATIONS_MS } from "../../../shared/runtime/queue/run-counts.ts";
import { FENCES_KEPT_MS, LEASE_EXPIRED, MALFORMED_KEY, MAX_CAUSES } from "../claim.ts";
import { BREAKER, type LedgerLimits } from "../limits.ts";
import { HINTS_CHANNEL } from "../redis-server/hints-channel.ts";

/** Each script with the parts of `lua/` that it needs, in this order: all parts would cost every call some 10 µs. */
const SCRIPTS = {
  enqueue: ["ledger", "place"],
  claim: ["ledger", "lease"],
  finish: ["ledger", "place", "outcome", "lease"],
  renew: ["ledger"],
  bury: ["ledger", "place"],
  release: ["ledger", "place", "outcome"],
  tick: ["ledger", "place", "outcome"],
  depth: ["ledger"],
  epoch: ["ledger"],
  pause: ["ledger"],
  requeue: ["ledger", "place"],
} as const;
export type ScriptName = keyof typeof SCRIPTS;
export type Argument = string | number;

export interface ScriptSettings {
  readonly resendMs: number;
  /** Tokens of unclaimed keys at a time. */
  readonly window: number;
  readonly limits: LedgerLimits;
}

/** Calls a script of `lua/` for a function; rejects as the connection does. */
export type RunScript = (
  redis: Redis,
  script: ScriptName,
  functionName: string,
  args: readonly Argument[],
) => Promise<unknown>;

/** Defines the scripts on `connections`. Returns how to call them, on one of these connections only. */
export async function loadScripts(
  connections: readonly Redis[],
  { resendMs, window, limits }: ScriptSettings,
): Promise<RunScript> {
  const textOf = (name: string) => readFile(new URL(`lua/${name}.lua`, import.meta.url), "utf8");
  for (const [name, parts] of Object.entries(SCRIPTS)) {
    const texts = await Promise.all([...parts, name].map(textOf));
    const lua = [constants(limits), ...texts].join("\n");
    for (const redis of connections) redis.defineCommand(commandOf(name), { lua, numberOfKeys: 1 });
  }
  return async (redis, script, functionName, args) => {
    // defineCommand adds methods that the types do not know.
    const method: unknown = Reflect.get(redis, commandOf(script));
    if (typeof method !== "function") throw new Error(`bug: script ${script} is not defined`);
    const seed = randomBytes(8).toString("hex");
    return Reflect.apply(method, redis, [
      ledgerPrefix(functionName),
      seed,
      Math.random(),
      resendMs,
      window,
      ...args,
    ]);
  };
}

/**
 * Returns the prefix of a function's keys. One hash tag per function: all its keys in one slot, functions spread over a
 * Redis Cluster (Q-33).
 */
export function ledgerPrefix(functionName: string): string {
  return `{cap:${functionName}}:l:`;
}

/** Returns the numbers that both ledgers share, as Lua. */
function constants({ agingMs, maxDead, letterMs, ...slow }: LedgerLimits): string {
  const delays: number[] = [];
  do delays.push(backoffMs(delays.length + 1, 0));
  while (delays.at(-1) !== delays.at(-2));
  const causes = Array.from({ length: MAX_CAUSES }, (_, index) => `c${index}`);
  const { intervalMs, intervals, minRuns, claimEveryMs } = BREAKER;
  return [
    `local BACKOFF_MS = { ${delays.join(", ")} }`,
    `local FENCES_KEPT_MS, MAX_CAUSES = ${FENCES_KEPT_MS}, ${MAX_CAUSES}`,
    // Written out: each call would have to build them.
    `local CAUSE_NAMES = { ${causes.map((name) => `'${name}'`).join(", ")} }`,
    `local CAUSES = { ${causes.map((name, index) => `${name} = ${index + 1}`).join(", ")} }`,
    `local LEASE_EXPIRED = ${JSON.stringify(JSON.stringify(LEASE_EXPIRED))}`,
    `local MALFORMED = '"reason":"${MALFORMED_KEY}"'`,
    `local AGING_MS, MAX_DEAD, LETTER_MS = ${agingMs}, ${maxDead}, ${letterMs}`,
    `local SLOW_MIN_MS, SLOW_MAX_MS = ${slow.slowMinMs}, ${slow.slowMaxMs}`,
    `local SLOW_AT_ONCE, SLOW_PER_SECOND = ${slow.slowAtOnce}, ${slow.slowPerSecond}`,
    `local BREAKER_INTERVAL_MS, BREAKER_INTERVALS = ${intervalMs}, ${intervals}`,
    `local BREAKER_MIN_RUNS, BREAKER_CLAIM_MS = ${minRuns}, ${claimEveryMs}`,
    `local DURATIONS_MS = { ${DURATIONS_MS.join(", ")} }`,
    `local HINTS = ${JSON.stringify(HINTS_CHANNEL)}`,
  ].join("\n");
}

function commandOf(script: string): string {
  return `capstanLedger:${script}`;
}
