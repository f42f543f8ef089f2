import { SECOND } from "../../../../shared/function/backoff.ts";
import type { NoteFailure } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { Hint } from "../../../../shared/runtime/queue/hints.ts";
import type { NoteCount, Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { systemRandom } from "../../../platform/random.ts";
import { checkEntries } from "../../check-entries.ts";
import { forgetCount, forgetFailure } from "../../claim.ts";
import { checkFunctionName } from "../../function-name.ts";
import { parseHint } from "../../hints/parse-hint.ts";
import type { LedgerLimits } from "../../limits.ts";
import { LEASE_TIMING, type LeaseTiming } from "../../run-lease.ts";
import { readerOf } from "../../tokens/reader-of.ts";
import { TokenQueue } from "../../tokens/token-queue.ts";
import { createEmbeddedLedger, createScripts, loadLedgerHost } from "./embedded-ledger.ts";
import { TinyRedis } from "./tiny-redis.ts";
import { TokenHub } from "./token-hub.ts";

/** The ledger says when a tick has work. */
const TICK_MS = 60 * SECOND;

const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export interface MemoryQueueOptions {
  readonly clock: Clock;
  readonly log?: Log;
  /** Returns a number in [0, 1), for jitter. */
  readonly random?: () => number;
  readonly timing?: Partial<LeaseTiming>;
  /** Called with every failure, for dead letters. */
  readonly noteFailure?: NoteFailure;
  /** Called with the counts of the ledger, for metrics. */
  readonly noteCount?: NoteCount;
  readonly limits?: Partial<LedgerLimits>;
  /** Called with every change that a person may want to see. */
  readonly noteHint?: (hint: Hint) => void;
}

/**
 * Creates the queue of one process: the ledger that Redis has, in this process (shared/decisions/0015-one-ledger.md).
 * Its data ends with the process; a new one resyncs.
 */
export async function createMemoryQueue({
  clock,
  log = SILENT,
  random = Math.random,
  timing,
  noteFailure = forgetFailure,
  noteCount = forgetCount,
  limits = {},
  noteHint = ignore,
}: MemoryQueueOptions): Promise<Queue> {
  const host = await loadLedgerHost();
  const redis = new TinyRedis({
    now: () => clock.now().getTime(),
    onMessage: (_, message) => {
      const hint = parseHint(message);
      if (hint !== undefined) noteHint(hint);
    },
  });
  const inTurns = createTurns();
  const own = { redis, limits };
  const run = createScripts({ ...own, host, random: { number: random, id: systemRandom.id } });
  const ledger = createEmbeddedLedger({ ...own, run, noteCount });
  const functions = new Map<string, TokenQueue>();
  let closed = false;
  const open = (functionName: string): TokenQueue => {
    if (closed) throw new Error("the queue is closed");
    const known = functions.get(checkFunctionName(functionName));
    if (known !== undefined) return known;
    const created = new TokenQueue({
      ...{ functionName, ledger, clock, log, noteFailure, anyKey: true, tickMs: TICK_MS },
      transport: new TokenHub(clock),
      timing: { ...LEASE_TIMING, ...timing },
    });
    functions.set(functionName, created);
    return created;
  };
  return {
    enqueue: async (name, entries) => {
      const queue = open(name);
      checkEntries(entries);
      await queue.enqueue(entries);
    },
    work: async (name, options, run) => open(name).work(options, inTurns(run)),
    depth: async (name) => ledger.depth(checkFunctionName(name)),
    dead: async (name) => ledger.dead(checkFunctionName(name)),
    ...readerOf(ledger),
    epoch: async (name) => ledger.epoch(checkFunctionName(name)),
    pause: async (name) => open(name).pause(true),
    resume: async (name) => open(name).pause(false),
    requeue: async (name, seen, cause) => open(name).requeue(seen, cause),
    healthy: () => ({ ok: true }),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await Promise.all([...functions.values()].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Runs in one turn of the event loop: those that never wait for I/O must not delay other work. */
const RUNS_PER_TURN = 32;

/** Returns what lets a run wait for the next turn of the event loop when this one has had its runs. */
function createTurns(): <A, R>(run: (given: A) => Promise<R>) => (given: A) => Promise<R> {
  let runs = 0;
  let next = Promise.resolve();
  return (run) => async (given) => {
    if (runs === 0) {
      next = new Promise((resolve) => {
        setImmediate(() => {
          runs = 0;
          resolve();
        });
      });
    }
    runs += 1;
    if (runs > RUNS_PER_TURN) await next;
    return run(given);
  };
}

function ignore(): void {
  // The default of callbacks.
}
