import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { backoffMs } from "../../../../../shared/function/backoff.ts";
import { DURATIONS_MS } from "../../../../../shared/runtime/queue/run-counts.ts";
import { FENCES_KEPT_MS, LEASE_EXPIRED, MALFORMED_KEY, MAX_CAUSES } from "../../../claim.ts";
import { BREAKER, type LedgerLimits } from "../../../limits.ts";
import { callScript } from "../server/call-script.ts";
import { HINTS_CHANNEL } from "../server/hints-channel.ts";
import { functionTag, type RedisConnection } from "../server/shards.ts";

/** Each script with the parts of `lua/` that it needs, in this order: all parts would cost every call some 10 µs. */
const SCRIPTS = {
  enqueue: ["ledger", "place"],
  claim: ["ledger", "lease"],
  finish: ["ledger", "place", "outcome", "lease"],
  renew: ["ledger"],
  "mark-dead": ["ledger", "place"],
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

/**
 * Two ways to one server. That of a producer rejects while the server is away: for events, whose senders retry. That of
 * a worker waits for it: for leases.
 */
export type Connection = "producer" | "worker";

/** Calls a script of `lua/` for a function; rejects as the connection does. */
export type RunScript = (
  connection: Connection,
  script: ScriptName,
  functionName: string,
  args: readonly Argument[],
) => Promise<unknown>;

/** The text of every file of `lua/`, by its name without ending. */
export type LuaTexts = ReadonlyMap<string, string>;

export async function readLua(): Promise<LuaTexts> {
  const names = new Set(Object.entries(SCRIPTS).flatMap(([name, parts]) => [name, ...parts]));
  const read = async (name: string) =>
    [name, await readFile(new URL(`lua/${name}.lua`, import.meta.url), "utf8")] as const;
  return new Map(await Promise.all([...names].map(read)));
}

/** The two parts of a script: Redis runs both for every call, a process that plays the scripts runs the first once. */
export interface ScriptText {
  readonly definitions: string;
  readonly body: string;
}

/** Puts the scripts together from their parts. */
export function scriptsOf(lua: LuaTexts, limits: LedgerLimits): ReadonlyMap<ScriptName, ScriptText> {
  const textOf = (name: string): string => lua.get(name) ?? "";
  const numbers = constants(limits);
  return new Map(
    Object.entries(SCRIPTS).map(([name, parts]) => [
      name as ScriptName,
      { definitions: [numbers, ...parts.map(textOf)].join("\n"), body: `begin()\n${textOf(name)}` },
    ]),
  );
}

/** A comment to all servers but Dragonfly: which keys a claim touches follows from what it reads. */
const DRAGONFLY = "--!df flags=allow-undeclared-keys";

/** Defines the scripts on the connections. Returns how to call them. */
export async function loadScripts(
  connections: { readonly [connection in Connection]: RedisConnection },
  { resendMs, window, limits }: ScriptSettings,
): Promise<RunScript> {
  for (const [name, { definitions, body }] of scriptsOf(await readLua(), limits))
    for (const redis of Object.values(connections))
      redis.defineCommand(commandOf(name), { lua: `${DRAGONFLY}\n${definitions}\n${body}`, numberOfKeys: 1 });
  return async (connection, script, functionName, args) => {
    const redis = connections[connection];
    return callScript(redis, commandOf(script), [
      ledgerPrefix(functionName, redis),
      ...headOf({ seed: randomBytes(8).toString("hex"), chance: Math.random(), resendMs, window }),
      ...args,
    ]);
  };
}

/** The index of ready keys has those of priority resync behind the first score, those that have aged behind the second. */
export const [RESYNC_SCORE, AGED_SCORE] = [2 ** 45, 2 ** 46];

/** The arguments that every script has in front of its own (`lua/ledger.lua`). */
interface Head extends Omit<ScriptSettings, "limits"> {
  /** A text that has never occurred before. */
  readonly seed: string;
  /** The chance, in [0, 1). */
  readonly chance: number;
}

export function headOf({ seed, chance, resendMs, window }: Head): readonly Argument[] {
  return [seed, chance, resendMs, window];
}

/** Returns the prefix of a function's keys; without a connection that of a ledger in this process. */
export function ledgerPrefix(functionName: string, connection?: RedisConnection): string {
  return `${functionTag(functionName, connection)}:l:`;
}

/** Returns the numbers of the ledger as Lua. */
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
    `local RESYNC_SCORE, AGED_SCORE = ${RESYNC_SCORE}, ${AGED_SCORE}`,
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
