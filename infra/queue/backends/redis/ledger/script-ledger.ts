import type { DeadKey, Failure, NoteCount, Outcome } from "../../../../../shared/runtime/queue/queue-port.ts";
import { batched } from "../../../../platform/batched.ts";
import type { Claim, ClaimTerms } from "../../../claim.ts";
import type { Change, FinishChange, Token, TokenLedger } from "../../../tokens/token-ledger.ts";
import { createLedgerReader, type LedgerServer } from "./ledger-reader.ts";
import {
  changeFor,
  claimArguments,
  claimOf,
  depthOf,
  eventArguments,
  expiredLeaseOf,
  finishArguments,
  type Reply,
  replyOf,
  requeueArguments,
} from "./redis-replies.ts";
import {
  type Argument,
  type Connection,
  ledgerPrefix,
  type RunScript,
  type ScriptName,
} from "./redis-scripts.ts";

const TICK_LIMIT = 500;
const READ_AT_ONCE = 500;
/** Keys in one call of claim or finish: small enough that Redis and this process work at the same time. */
const CALLS_AT_ONCE = 16;

export interface ScriptLedgerOptions {
  readonly run: RunScript;
  readonly server: LedgerServer;
  /** Returns the prefix of a function's keys there. Default: that in this process. */
  readonly prefixOf?: (functionName: string) => string;
  readonly takeTicks: TokenLedger["takeTicks"];
  readonly noteCount: NoteCount;
  /** Claims or finishes in one call: those of one turn of the event loop. 1: each is a call of its own, at once. */
  readonly atOnce?: number;
}

/**
 * Creates the ledger over its scripts (`lua/`), wherever they run. Entries of one call should be at most 500. Claims and
 * finishes of one turn of the event loop are one call.
 */
export function createScriptLedger(options: ScriptLedgerOptions): TokenLedger {
  const { run, server, prefixOf = ledgerPrefix, takeTicks, noteCount, atOnce = CALLS_AT_ONCE } = options;
  /** Calls a script that changes the ledger, and notes its counts. */
  const change: ChangeLedger = async (connection, script, name, args) => {
    const reply = replyOf(await run(connection, script, name, args));
    for (const [what, times] of reply.counts) noteCount(name, what, times);
    return reply;
  };
  const changeOwned: ChangeOwned = async (script, name, { key, owner }) => {
    const { change: left, results } = await change("worker", script, name, [key, owner]);
    return { ...left, accepted: results[0] === 1 };
  };
  const { claim, finish } = createRunCalls(change, atOnce);
  return {
    claim,
    finish,
    enqueue: async (name, entries) =>
      (await change("producer", "enqueue", name, entries.flatMap(eventArguments))).change,
    renew: async (name, { key, owner, leaseMs }) =>
      (await run("worker", "renew", name, [key, owner, leaseMs])) === 1,
    release: (name, claimed) => changeOwned("release", name, claimed),
    markDead: (name, death) => changeOwned("mark-dead", name, death),
    tick: async (name) => {
      const { change: left, results } = await change("producer", "tick", name, [TICK_LIMIT]);
      return { ...left, rests: results[0] === 1, expired: results.slice(1).map(expiredLeaseOf) };
    },
    takeTicks,
    pause: async (name, paused) => {
      const { change: left, results } = await change("producer", "pause", name, [paused ? 1 : 0]);
      return { ...left, accepted: results[0] === 1 };
    },
    requeue: async (name, seen, cause) => {
      const args = requeueArguments(seen, cause);
      const { change: left, results } = await change("producer", "requeue", name, args);
      return { ...left, done: results.map((result) => result === 1) };
    },
    ...createLedgerReader(server, run, prefixOf),
    depth: async (name) => depthOf(await run("producer", "depth", name, [1])),
    dead: (name) => readDead(server, prefixOf(name)),
    epoch: async (name) => String(await run("producer", "epoch", name, [])),
  };
}

type ChangeLedger = (
  connection: Connection,
  script: ScriptName,
  functionName: string,
  args: readonly Argument[],
) => Promise<Reply>;
type ChangeOwned = (
  script: "release" | "mark-dead",
  functionName: string,
  owned: Pick<Claim, "key" | "owner">,
) => Promise<Change>;

interface RunCalls {
  readonly claim: (token: Token, terms: ClaimTerms) => Promise<Claim | undefined>;
  readonly finish: (end: RunEnd) => Promise<FinishChange>;
}

interface RunEnd {
  readonly claim: Claim & ClaimTerms;
  readonly outcome: Outcome;
  readonly next: ClaimTerms | undefined;
}

/** Creates the two calls that every run makes; those of one turn are sent together. */
function createRunCalls(change: ChangeLedger, atOnce: number): Pick<TokenLedger, "claim" | "finish"> {
  const functions = new Map<string, RunCalls>();
  const create = (name: string): RunCalls => {
    const claims = collected(atOnce, (items: readonly Parameters<RunCalls["claim"]>[]) =>
      claimAll(change, { name, items }),
    );
    const ends = collected(atOnce, (items: readonly RunEnd[]) => finishAll(change, { name, items }));
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

/** Collects calls, where that saves ways to a server. */
function collected<I, O>(atOnce: number, run: (items: readonly I[]) => Promise<readonly O[]>) {
  // There are as many results as items.
  return atOnce > 1 ? batched(atOnce, run) : async (item: I) => (await run([item]))[0] as O;
}

interface Batch<I> {
  readonly name: string;
  readonly items: readonly I[];
}

async function claimAll(
  change: ChangeLedger,
  { name, items }: Batch<Parameters<RunCalls["claim"]>>,
): Promise<readonly (Claim | undefined)[]> {
  const args = items.flatMap(([token, terms]) => claimArguments(token, terms));
  const { results } = await change("worker", "claim", name, args);
  return items.map(([, { owner }], index) => claimOf(results[index], owner));
}

async function finishAll(
  change: ChangeLedger,
  { name, items }: Batch<RunEnd>,
): Promise<readonly FinishChange[]> {
  const args = items.flatMap(({ claim, outcome, next }) => finishArguments(claim, outcome, next));
  const reply = await change("worker", "finish", name, args);
  return items.map(({ claim, next }, index): FinishChange => {
    const left: Change = changeFor(claim.key, index, reply);
    const accepted = reply.results[2 * index] === 1;
    const claimed = claimOf(reply.results[2 * index + 1], next?.owner ?? "");
    return claimed === undefined ? { ...left, accepted } : { ...left, accepted, next: claimed };
  });
}

/**
 * Reads the dead keys in parts: a long list must not block the server, and a key that revives meanwhile is left out.
 */
async function readDead(redis: LedgerServer, prefix: string): Promise<readonly DeadKey[]> {
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
  return found.sort((a, b) => a.since.getTime() - b.since.getTime());
}
