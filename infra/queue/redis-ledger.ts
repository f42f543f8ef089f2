import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Redis } from "ioredis";
import { backoffMs, SECOND } from "../../shared/runtime/backoff.ts";
import type {
  Cause,
  DeadKey,
  Failure,
  Fence,
  Outcome,
  QueueDepth,
  QueueEntry,
} from "../../shared/runtime/ports.ts";
import type { Claim, ClaimTerms } from "./claim.ts";
import { FENCES_KEPT_MS, floorMs, LEASE_EXPIRED, MAX_CAUSES } from "./claim.ts";
import type { Change, Token, TokenLedger } from "./token-ledger.ts";

const SCRIPTS = ["enqueue", "claim", "finish", "renew", "release", "tick", "depth", "epoch"] as const;
type ScriptName = (typeof SCRIPTS)[number];
type Argument = string | number;

/** BullMQ on the same Redis seldom loses a token; a copy costs one claim. */
const RESEND_MS = 5 * SECOND;
const TICK_LIMIT = 500;
const READ_AT_ONCE = 500;

export interface RedisLedgerOptions {
  /** Rejects while Redis is away: for events, whose senders have their own retry. */
  readonly producer: Redis;
  /** Waits for Redis: for leases. */
  readonly worker: Redis;
  readonly resendMs?: number;
}

/**
 * The ledger as Lua scripts (`lua/`), keys `{cap:<function>}:l:*`. Times are Redis' own. Connections stay the
 * caller's. Entries of one call should be at most 500.
 */
export async function createRedisLedger({
  producer,
  worker,
  resendMs = RESEND_MS,
}: RedisLedgerOptions): Promise<TokenLedger> {
  await Promise.all([defineScripts(producer), defineScripts(worker)]);
  const call =
    (redis: Redis, script: ScriptName) =>
    (functionName: string, ...args: Argument[]) =>
      callScript(redis, script, [
        prefixOf(functionName),
        randomBytes(8).toString("hex"),
        Math.random(),
        resendMs,
        ...args,
      ]);
  const scripts = {
    enqueue: call(producer, "enqueue"),
    tick: call(producer, "tick"),
    depth: call(producer, "depth"),
    epoch: call(producer, "epoch"),
    claim: call(worker, "claim"),
    finish: call(worker, "finish"),
    renew: call(worker, "renew"),
    release: call(worker, "release"),
  };
  return {
    enqueue: async (name, entries) =>
      changeOf(await scripts.enqueue(name, ...entries.flatMap(eventArguments))),
    claim: async (name, token, terms) => {
      const { owner, leaseMs, attempts, minIntervalMs } = terms;
      const reply = await scripts.claim(name, token.key, token.seq, owner, leaseMs, attempts, minIntervalMs);
      return Array.isArray(reply) ? claimOf(token, owner, reply) : undefined;
    },
    finish: async (name, claim, outcome) =>
      changeOf(
        await scripts.finish(name, claim.key, claim.owner, ...outcomeArguments(outcome, claim.minIntervalMs)),
      ),
    renew: async (name, { key, owner, leaseMs }) => (await scripts.renew(name, key, owner, leaseMs)) === 1,
    release: async (name, { key, owner }) => changeOf(await scripts.release(name, key, owner)),
    tick: async (name) => changeOf(await scripts.tick(name, TICK_LIMIT)),
    depth: async (name) => depthOf(listOf(await scripts.depth(name))),
    dead: (name) => readDead(producer, prefixOf(name)),
    epoch: async (name) => String(await scripts.epoch(name)),
  };
}

function prefixOf(functionName: string): string {
  return `{cap:${functionName}}:l:`;
}

async function defineScripts(redis: Redis): Promise<void> {
  const textOf = (name: string) => readFile(new URL(`lua/${name}.lua`, import.meta.url), "utf8");
  const shared = `${constants()}\n${await textOf("ledger")}`;
  for (const name of SCRIPTS) {
    redis.defineCommand(commandOf(name), { lua: `${shared}\n${await textOf(name)}`, numberOfKeys: 1 });
  }
}

/** Numbers that both ledgers share, so that they are written down once. */
function constants(): string {
  const delays: number[] = [];
  do delays.push(backoffMs(delays.length + 1, 0));
  while (delays.at(-1) !== delays.at(-2));
  return [
    `local BACKOFF_MS = { ${delays.join(", ")} }`,
    `local FENCES_KEPT_MS, MAX_CAUSES = ${FENCES_KEPT_MS}, ${MAX_CAUSES}`,
    `local LEASE_EXPIRED = ${JSON.stringify(JSON.stringify(LEASE_EXPIRED))}`,
  ].join("\n");
}

function commandOf(script: ScriptName): string {
  return `capstanLedger:${script}`;
}

async function callScript(redis: Redis, script: ScriptName, args: readonly Argument[]): Promise<unknown> {
  // defineCommand adds methods that no type knows.
  const method: unknown = Reflect.get(redis, commandOf(script));
  if (typeof method !== "function") throw new Error(`bug: script ${script} is not defined`);
  return Reflect.apply(method, redis, args);
}

function eventArguments({ key, delayMs = 0, class: wanted, cause }: QueueEntry): readonly Argument[] {
  const text =
    cause === undefined ? "" : JSON.stringify({ what: cause.what, resourceVersion: cause.resourceVersion });
  return [key, wholeMs(delayMs), wanted === "live" ? 1 : 0, text];
}

function outcomeArguments(outcome: Outcome, minIntervalMs: number): readonly Argument[] {
  const after = outcome.type === "error" || outcome.afterMs === undefined ? "" : wholeMs(outcome.afterMs);
  const fences = outcome.fences.length === 0 ? "" : JSON.stringify(outcome.fences);
  const failure = outcome.type === "error" ? JSON.stringify(outcome.failure) : "";
  const terminal = outcome.type === "error" && outcome.terminal ? 1 : 0;
  return [outcome.type, after, wholeMs(floorMs(outcome, minIntervalMs)), fences, failure, terminal];
}

function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

function claimOf({ key }: Token, owner: ClaimTerms["owner"], reply: readonly unknown[]): Claim {
  const [failures, again, causes, fences] = reply;
  return {
    key,
    owner,
    failures: Number(failures),
    again: Number(again),
    causes: String(causes)
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Cause => JSON.parse(line)),
    fences: fences === "" ? [] : (JSON.parse(String(fences)) as Fence[]),
  };
}

function changeOf(reply: unknown): Change {
  const [accepted, waitMs, ...rest] = listOf(reply);
  const tokens: Token[] = [];
  for (let i = 0; i + 2 < rest.length; i += 3) {
    tokens.push({
      key: String(rest[i]),
      seq: String(rest[i + 1]),
      class: rest[i + 2] === "1" ? "live" : "resync",
    });
  }
  return { accepted: accepted === 1, tokens, waitMs: Number(waitMs) < 0 ? undefined : Number(waitMs) };
}

function depthOf(reply: readonly unknown[]): QueueDepth {
  const [ready = 0, waiting = 0, running = 0, dead = 0, nextDueMs = -1] = reply.map(Number);
  const counts = { ready, waiting, running, dead };
  return nextDueMs < 0 ? counts : { ...counts, nextDueMs };
}

/** Not one script: a long list must not hold up the server, and a key that revives meanwhile is left out. */
async function readDead(redis: Redis, prefix: string): Promise<readonly DeadKey[]> {
  const keys = await redis.zrange(`${prefix}dead`, "0", "-1");
  const found: DeadKey[] = [];
  for (let start = 0; start < keys.length; start += READ_AT_ONCE) {
    const part = keys.slice(start, start + READ_AT_ONCE);
    const entries = await Promise.all(
      part.map((key) => redis.hmget(`${prefix}k:${key}`, "st", "ds", "f", "fl")),
    );
    for (const [index, [state, since, failures, failure]] of entries.entries()) {
      const key = part[index];
      if (state !== "d" || key === undefined || typeof failure !== "string") continue;
      const parsed: Failure = JSON.parse(failure);
      found.push({ key, since: new Date(Number(since)), failures: Number(failures), failure: parsed });
    }
  }
  return found;
}

function listOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new Error("bug: a ledger script did not give a list");
  return reply;
}
