import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim, ClaimTerms } from "../../infra/queue/claim.ts";
import type { LeaseTiming } from "../../infra/queue/run-lease.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../shared/function/backoff.ts";
import type { Lease, Outcome, Queue } from "../../shared/runtime/queue/queue-port.ts";
import { NaiveLedger, TERMS } from "../infra/queue/naive-ledger.ts";
import { type Operation, operations, outcomeOf } from "../infra/queue/operations.ts";
import type { VirtualClock } from "../support/clock.ts";
import { eventually, HANG_MS, holds } from "../support/eventually.ts";
import { playRandomly } from "../support/random-play.ts";
import { FOUND_SEQUENCES } from "./queue-model-found.ts";

export interface QueueModelSuite {
  readonly name: string;
  /** Processes with the same queue; a worker that is stopped is followed by one on the other. */
  readonly create: (timing: Partial<LeaseTiming>) => Promise<QueuesUnderTest>;
  /** Real: everything is due now or in an hour. */
  readonly time: "virtual" | "real";
  /** Default: keys start in the order of the model. */
  readonly unordered?: true;
  /** Sequences side by side. */
  readonly atOnce: number;
  readonly maxLength: number;
}

interface QueuesUnderTest extends AsyncDisposable {
  readonly queue: Queue;
  /** Another process with the same queue; the same object where a process is alone. */
  readonly other: Queue;
  /** With virtual time. */
  readonly clock?: VirtualClock;
  /** With virtual time, where it has its effect only when asked. */
  readonly tick?: () => Promise<void>;
}

const HOUR = 60 * MINUTE;
const KEYS = ["t|a", "t|b", "t|c", "u|a", "v"];
/** More than there are keys: what may run, runs. */
const CONCURRENCY = 8;
/** One more could open the breaker, after which real time would matter. */
const MAX_ENDS = 19;
/** Ticks come more often: what a sequence has left behind would show by then. */
const QUIET_MS = 400;

const anyTime = operations({
  keys: KEYS,
  delays: [0, 0, 50, 2_000, 9_000],
  afters: [undefined, undefined, 100, 3_000, 60_000],
}).filter(({ type }) => type !== "claim");
const nowOrLater = operations({
  keys: KEYS,
  delays: [0, 0, 0, HOUR],
  afters: [undefined, 0, HOUR],
}).filter(({ type }) => type !== "claim" && type !== "pass");

let functionCount = 0;

/** Per driver; as many sequences as fit. */
const BUDGET_MS = 4_000;

/**
 * Any sequence of calls through a whole driver, beside the naive ledger: the same runs with the same leases, the same
 * counts and the same dead keys. Runs end when the sequence says so.
 */
export function queueModelSuite(suite: QueueModelSuite): void {
  const { name, create, time, unordered = false, atOnce, maxLength } = suite;
  const timing =
    time === "virtual"
      ? { drainMs: 0, leaseMs: TERMS.leaseMs, renewMs: HOUR, runTimeoutMs: HOUR }
      : { drainMs: 0, leaseMs: HOUR, renewMs: HOUR, runTimeoutMs: HOUR };
  const play = async (sequences: readonly (readonly Operation[])[]): Promise<void> => {
    await using under = await create(timing);
    const pairs = sequences.map(
      () => new Pair(under, { functionName: `model-${++functionCount}`, unordered }),
    );
    await Promise.all(pairs.map((pair, index) => pair.runAll(sequences[index] ?? [])));
    if (time === "real")
      await holds(() => pairs.every(({ quiet }) => quiet), { forMs: QUIET_MS, stepMs: 50 });
  };

  describe(`the ${name} queue beside the model`, () => {
    // Sequences that need hours are played where time is virtual.
    const playable = FOUND_SEQUENCES.filter(
      ({ sequence }) => time === "virtual" || sequence.every(({ type }) => type !== "pass"),
    );
    it.each(playable)("found once: $what", ({ sequence }) => play([sequence]));

    it("Q-01 to Q-14, Q-17: does what the model does in random sequences", () =>
      playRandomly(
        {
          name: `${name} queue beside the model, sequences`,
          values: fc.array(time === "virtual" ? anyTime : nowOrLater, { maxLength, size: "max" }),
          atOnce,
          atLeast: 40,
          budgetMs: BUDGET_MS,
        },
        play,
      ));
  });
}

interface Run {
  readonly claim: Claim;
  readonly end: (outcome: Outcome) => void;
}

interface PairOptions {
  readonly functionName: string;
  readonly unordered: boolean;
}

/** One function of a driver and the model of its ledger. */
class Pair {
  readonly #under: QueuesUnderTest;
  readonly #unordered: boolean;
  readonly #functionName: string;
  readonly #terms: ClaimTerms;
  readonly #model: NaiveLedger;
  /** The oldest first. */
  #runs: Run[] = [];
  #worker: AsyncDisposable | undefined;
  #workers = 0;
  #claims = 0;
  #ends = 0;
  #error: unknown;

  constructor(under: QueuesUnderTest, { functionName, unordered }: PairOptions) {
    this.#under = under;
    this.#unordered = unordered || under.clock === undefined;
    this.#functionName = functionName;
    this.#terms = under.clock === undefined ? { ...TERMS, leaseMs: 2 * HOUR, minIntervalMs: HOUR } : TERMS;
    this.#model = new NaiveLedger(this.#terms, unordered);
  }

  async runAll(sequence: readonly Operation[]): Promise<void> {
    await this.#startWorker();
    for (const [index, operation] of sequence.entries()) {
      try {
        await this.#run(operation);
        // Where no tick is asked for, every call is one.
        if (this.#under.clock !== undefined && this.#under.tick === undefined) this.#model.rest(this.#now);
        // Distinct instants, so that order has one meaning.
        await this.#pass(1);
        await this.#settle();
      } catch (cause) {
        throw new Error(`after ${JSON.stringify(sequence.slice(0, index + 1))}`, { cause });
      }
    }
  }

  /** Nothing has started that the model does not start. */
  get quiet(): boolean {
    if (this.#error !== undefined) throw this.#error;
    return true;
  }

  get #now(): number {
    return this.#under.clock?.now().getTime() ?? 0;
  }

  /** The queue of the current worker (0), or of the other one (1). */
  #queue(who: 0 | 1 = 0): Queue {
    const { queue, other } = this.#under;
    return (this.#workers + who) % 2 === 0 ? queue : other;
  }

  async #startWorker(): Promise<void> {
    const { attempts, minIntervalMs, maxRunningPerTenant } = this.#terms;
    const own = { attempts, minIntervalMs, maxRunningPerTenant, concurrency: CONCURRENCY, owner: "w" };
    const options = { ...DEFAULT_QUEUE, ...own };
    this.#worker = await this.#queue().work(this.#functionName, options, (lease) => this.#start(lease));
  }

  /** Called by the driver: the model must allow this run now, and know its lease. */
  #start(lease: Lease): Promise<Outcome> {
    const ended = Promise.withResolvers<Outcome>();
    try {
      this.#claims += 1;
      const owner = `o${this.#claims}`;
      if (this.#under.clock !== undefined) this.#model.tick(this.#now);
      // While a letter is written its key holds a slot of its tenant: who comes first depends on when it is done.
      const anyOrder = this.#unordered || this.#model.rows.some(({ dying }) => dying);
      const expected = this.#model.claim(this.#now, owner, anyOrder ? lease.key : undefined);
      const { key, failures, retries, causes, fences, readyMs, claimedAt } = lease;
      const times = this.#under.clock
        ? { readyMs, claimedAtMs: claimedAt?.getTime() }
        : { readyMs: 0, claimedAtMs: 0 };
      const started = { key, failures, retries, causes, fences };
      // In the slow lane a tick makes a key ready, which may come later than the instant that it is for.
      const isTriedAgain = this.#model.rows.some((row) => row.key === key && row.died);
      const sooner = isTriedAgain && expected && { readyMs: Math.min(expected.readyMs, times.readyMs ?? 0) };
      expect({ ...started, ...times }).toEqual(sooner ? { ...expected, ...sooner } : expected);
      this.#runs.push({ claim: { ...started, readyMs: 0, claimedAtMs: 0, owner }, end: ended.resolve });
    } catch (error) {
      this.#error ??= error;
    }
    return ended.promise;
  }

  async #run(operation: Operation): Promise<void> {
    const { paused } = this.#model;
    switch (operation.type) {
      case "enqueue":
        this.#model.enqueue(this.#now, operation.entry);
        return this.#queue(operation.entry.priority === "live" ? 0 : 1).enqueue(this.#functionName, [
          operation.entry,
        ]);
      case "pause":
        this.#model.paused = operation.paused;
        if (paused === operation.paused) return;
        await this.#queue(1)[operation.paused ? "pause" : "resume"](this.#functionName);
        return;
      case "finish":
        return this.#finish(operation);
      case "release":
        return this.#restartWorker();
      case "pass":
        return this.#pass(operation.ms);
      default:
        return undefined;
    }
  }

  #finish(operation: Operation & { readonly type: "finish" }): void {
    const run = this.#runs.at(-1 - (operation.back % Math.max(1, this.#runs.length)));
    if (run === undefined || (this.#under.clock === undefined && this.#ends >= MAX_ENDS)) return;
    this.#ends += 1;
    const outcome = this.#outcomeOf(operation);
    this.#runs = this.#runs.filter((each) => each !== run);
    // A lease that has expired meanwhile is fenced by both.
    this.#model.finish(this.#now, run.claim, outcome);
    run.end(outcome);
  }

  #outcomeOf(operation: Operation & { readonly type: "finish" }): Outcome {
    const outcome = outcomeOf(operation);
    if (outcome.type !== "retry" || this.#under.clock !== undefined) return outcome;
    return { ...outcome, afterMs: operation.afterMs ?? HOUR };
  }

  async #restartWorker(): Promise<void> {
    const stopped = this.#worker?.[Symbol.asyncDispose]();
    await this.#under.clock?.advance(0);
    await stopped;
    for (const { claim } of this.#runs) this.#model.release(this.#now, claim);
    this.#runs = [];
    this.#workers += 1;
    await this.#startWorker();
  }

  /** From one instant at which something happens to the next, so that the model misses none. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#under;
    if (clock === undefined) return;
    const end = this.#now + ms;
    while (this.#now < end) {
      const next = Math.min(end, Math.max(this.#model.nextAt(), this.#now + 1));
      await clock.advance(next - this.#now);
      await this.#under.tick?.();
      this.#model.rest(this.#now);
    }
  }

  /** Until everything runs that may, and both count the same. */
  async #settle(): Promise<void> {
    const { clock } = this.#under;
    this.#model.rest(this.#now);
    const wanted = async (): Promise<void> => {
      expect(this.quiet && this.#model.claimable(this.#now).map(({ key }) => key)).toEqual([]);
      const { ready, waiting, running, dead } = await this.#queue().depth(this.#functionName);
      expect({ waiting, ready, running, dead }).toEqual(this.#model.counts());
    };
    if (clock === undefined) await eventually(wanted, { withinMs: HANG_MS, stepMs: 2 });
    else await wanted();
    const dead = await this.#queue(1).dead(this.#functionName);
    const expected = this.#model.rows.filter(({ state }) => state === "dead");
    expect(new Map(dead.map(({ key, failures }) => [key, failures]))).toEqual(
      new Map(expected.map(({ key, failures }) => [key, failures])),
    );
  }
}
