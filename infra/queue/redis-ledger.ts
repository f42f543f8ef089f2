import type { Redis } from "ioredis";
import { SECOND } from "../../shared/runtime/backoff.ts";
import type { DeadKey, Failure, Outcome } from "../../shared/runtime/queue-port.ts";
import { batched } from "./batched.ts";
import type { Claim, ClaimTerms } from "./claim.ts";
import { LEDGER_LIMITS, type LedgerLimits } from "./limits.ts";
import {
  changeFor,
  claimArguments,
  claimOf,
  depthOf,
  eventArguments,
  finishArguments,
  replyOf,
} from "./redis-replies.ts";
import { ledgerPrefix, loadScripts, type RunScript } from "./redis-scripts.ts";
import type { Change, FinishChange, Token, TokenLedger } from "./token-ledger.ts";

/** BullMQ on the same Redis seldom loses a token; a copy costs one claim. */
const RESEND_MS = 5 * SECOND;
const TICK_LIMIT = 500;
const READ_AT_ONCE = 500;
/** Keys in one call of claim or finish: small enough that Redis and this process work at the same time. */
const CALLS_AT_ONCE = 16;

export interface RedisLedgerOptions {
  /** Rejects while Redis is away: for events, whose senders have their own retry. */
  readonly producer: Redis;
  /** Waits for Redis: for leases. */
  readonly worker: Redis;
  readonly resendMs?: number;
  /**
   * Tokens of unclaimed keys at a time. Further ready keys wait without a token for a `finish` with a next claim, or
   * for the window. Default: every ready key has a token.
   */
  readonly window?: number;
  readonly limits?: Partial<LedgerLimits>;
}

/**
 * The ledger as Lua scripts (`lua/`), keys `{cap:<function>}:l:*`. Times are Redis' own. Connections stay the
 * caller's. Entries of one call should be at most 500. Claims and finishes of one turn of the event loop are one call.
 */
export async function createRedisLedger(options: RedisLedgerOptions): Promise<TokenLedger> {
  const { producer, worker, resendMs = RESEND_MS, window } = options;
  const limits = { ...LEDGER_LIMITS, ...options.limits };
  const run = await loadScripts([producer, worker], { resendMs, window, limits });
  const { claim, finish } = createRunCalls(run, worker);
  return {
    claim,
    finish,
    enqueue: async (name, entries) =>
      replyOf(await run(producer, "enqueue", name, entries.flatMap(eventArguments))).change,
    renew: async (name, { key, owner, leaseMs }) =>
      (await run(worker, "renew", name, [key, owner, leaseMs])) === 1,
    release: async (name, { key, owner }) => {
      const { change, results } = replyOf(await run(worker, "release", name, [key, owner]));
      return { ...change, accepted: results[0] === 1 };
    },
    tick: async (name) => replyOf(await run(producer, "tick", name, [TICK_LIMIT])).change,
    pause: async (name, paused) => replyOf(await run(producer, "pause", name, [paused ? 1 : 0])).change,
    depth: async (name) => depthOf(await run(producer, "depth", name, [])),
    dead: (name) => readDead(producer, ledgerPrefix(name)),
    epoch: async (name) => String(await run(producer, "epoch", name, [])),
  };
}

interface RunCalls {
  readonly claim: (token: Token, terms: ClaimTerms) => Promise<Claim | undefined>;
  readonly finish: (end: RunEnd) => Promise<FinishChange>;
}

interface RunEnd {
  readonly claim: Claim & ClaimTerms;
  readonly outcome: Outcome;
  readonly next: ClaimTerms | undefined;
}

/** The two calls that are made for every run: those of one turn go together. */
function createRunCalls(run: RunScript, worker: Redis): Pick<TokenLedger, "claim" | "finish"> {
  const functions = new Map<string, RunCalls>();
  const create = (name: string): RunCalls => {
    const claims = batched(CALLS_AT_ONCE, (items: readonly Parameters<RunCalls["claim"]>[]) =>
      claimAll(run, { worker, name, items }),
    );
    const ends = batched(CALLS_AT_ONCE, (items: readonly RunEnd[]) =>
      finishAll(run, { worker, name, items }),
    );
    return { claim: (token, terms) => claims([token, terms]), finish: ends };
  };
  const callsOf = (name: string): RunCalls => {
    const calls = functions.get(name) ?? create(name);
    functions.set(name, calls);
    return calls;
  };
  return {
    claim: (name, token, terms) => callsOf(name).claim(token, terms),
    finish: (name, claim, outcome, next) => callsOf(name).finish({ claim, outcome, next }),
  };
}

interface Batch<I> {
  readonly worker: Redis;
  readonly name: string;
  readonly items: readonly I[];
}

async function claimAll(
  run: RunScript,
  { worker, name, items }: Batch<Parameters<RunCalls["claim"]>>,
): Promise<readonly (Claim | undefined)[]> {
  const args = items.flatMap(([token, terms]) => claimArguments(token, terms));
  const { results } = replyOf(await run(worker, "claim", name, args));
  return items.map(([, { owner }], index) => claimOf(results[index], owner));
}

async function finishAll(
  run: RunScript,
  { worker, name, items }: Batch<RunEnd>,
): Promise<readonly FinishChange[]> {
  const args = items.flatMap(({ claim, outcome, next }) => finishArguments(claim, outcome, next));
  const reply = replyOf(await run(worker, "finish", name, args));
  return items.map(({ claim, next }, index): FinishChange => {
    const change: Change = changeFor(claim.key, index, reply);
    const accepted = reply.results[2 * index] === 1;
    const claimed = claimOf(reply.results[2 * index + 1], next?.owner ?? "");
    return claimed === undefined ? { ...change, accepted } : { ...change, accepted, next: claimed };
  });
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
