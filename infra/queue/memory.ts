import { randomBytes } from "node:crypto";
import type { FailedRun, NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Hint } from "../../shared/runtime/queue/hints.ts";
import type { Requeued, SeenDeath } from "../../shared/runtime/queue/queue-control.ts";
import type {
  Cause,
  Lease,
  NoteCount,
  Outcome,
  Queue,
  QueueEntry,
  WorkOptions,
} from "../../shared/runtime/queue/queue-port.ts";
import { ActiveRuns } from "./active-runs.ts";
import { checkEntries } from "./check-entries.ts";
import { type Claim, failedRun, forgetCount, forgetFailure } from "./claim.ts";
import { checkSeen, requeuedOf } from "./dead-as-seen.ts";
import { startFreshness } from "./freshness.ts";
import { checkFunctionName } from "./function-name.ts";
import { Ledger } from "./ledger/ledger.ts";
import type { CountedFailure } from "./ledger/ledger-deaths.ts";
import { createLedgerReader } from "./ledger/ledger-reader.ts";
import type { LedgerLimits } from "./limits.ts";
import type { LeaseTiming } from "./run-lease.ts";
import { LEASE_TIMING, runLease } from "./run-lease.ts";

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
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

/** Creates the queue of one process. Its data ends with the process; a new one resyncs. */
export function createMemoryQueue({
  clock,
  random = Math.random,
  timing,
  noteFailure = forgetFailure,
  noteCount = forgetCount,
  limits = {},
  noteHint = () => undefined,
}: MemoryQueueOptions): Queue {
  const lease = { ...LEASE_TIMING, ...timing };
  const shared = { clock, random, timing: lease, noteFailure, noteCount, limits, noteHint };
  const functions = new Map<string, FunctionQueue>();
  let closed = false;
  const open = (name: string): FunctionQueue => {
    if (closed) throw new Error("the queue is closed");
    const known = functions.get(checkFunctionName(name));
    if (known !== undefined) return known;
    const created = new FunctionQueue(name, shared);
    functions.set(name, created);
    return created;
  };
  return {
    enqueue: async (name, entries) => {
      const queue = open(name);
      checkEntries(entries);
      queue.enqueue(entries);
    },
    work: async (name, options, run) => open(name).work(options, run),
    ...createLedgerReader((name) => open(name).look()),
    epoch: async (name) => open(name).epoch,
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

interface Worker {
  readonly options: WorkOptions;
  readonly run: (lease: Lease) => Promise<Outcome>;
  readonly runs: ActiveRuns;
}

interface FunctionQueueOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly timing: LeaseTiming;
  readonly noteFailure: NoteFailure;
  readonly noteCount: NoteCount;
  readonly limits: Partial<LedgerLimits>;
  readonly noteHint: (hint: Hint) => void;
}

/** Claims in one turn of the event loop: runs that never wait for I/O must not delay other work. */
const CLAIMS_PER_TURN = 32;

class FunctionQueue implements AsyncDisposable {
  readonly epoch = randomBytes(8).toString("hex");
  readonly #name: string;
  readonly #clock: Clock;
  readonly #timing: LeaseTiming;
  readonly #noteFailure: NoteFailure;
  readonly #noteMoved: (...keys: readonly string[]) => void;
  readonly #ledger: Ledger;
  /** The failure of the run that is being finished. */
  #finishing: ReturnType<typeof failedRun> | undefined;
  readonly #workers = new Set<Worker>();
  readonly #closed = new AbortController();
  #claims = 0;
  #claimsThisTurn = 0;
  #armed: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(name: string, options: FunctionQueueOptions) {
    const { clock, random, timing, noteFailure, noteCount, limits, noteHint } = options;
    this.#name = name;
    this.#noteMoved = (...keys) => noteHint({ of: "keys", function: name, keys });
    this.#clock = clock;
    this.#timing = timing;
    this.#noteFailure = noteFailure;
    this.#ledger = new Ledger({
      random,
      onFailure: (failed) => this.#failed(failed),
      onCount: (counted) => noteCount(name, counted, 1),
      onMove: this.#noteMoved,
      limits,
    });
  }

  enqueue(entries: readonly QueueEntry[]): void {
    const now = this.#now();
    for (const entry of entries) this.#ledger.enqueue(now, entry);
    this.#advance();
  }

  work(options: WorkOptions, run: Worker["run"]): AsyncDisposable {
    const worker: Worker = { options, run, runs: new ActiveRuns() };
    this.#workers.add(worker);
    this.#advance();
    return { [Symbol.asyncDispose]: () => this.#end(worker) };
  }

  pause(paused: boolean): boolean {
    const changed = this.#ledger.pause(paused);
    if (changed) this.#noteMoved();
    this.#advance();
    return changed;
  }

  async requeue(seen: readonly SeenDeath[], cause: Cause): Promise<readonly Requeued[]> {
    checkSeen(seen);
    const now = this.#now();
    const done = seen.map((each) => this.#ledger.requeue(now, each, cause));
    const requeued = requeuedOf(seen, done, async (key) => this.#ledger.keyState(key));
    this.#advance();
    return requeued;
  }

  look(): { readonly ledger: Ledger; readonly now: number } {
    return { ledger: this.#ledger, now: this.#now() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#end(worker)));
    this.#closed.abort();
    this.#armed?.cancel();
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  async #end(worker: Worker): Promise<void> {
    await worker.runs.drain(this.#clock, this.#timing.drainMs);
    this.#workers.delete(worker);
    this.#advance();
  }

  /** Ticks, claims keys for free slots and sets the timer. Called after every change. */
  #advance(): void {
    if (this.#closed.signal.aborted) return;
    this.#ledger.tick(this.#now());
    for (const worker of this.#workers) this.#claim(worker);
    this.#arm();
  }

  #claim(worker: Worker): void {
    const { options, runs } = worker;
    const { leaseMs } = this.#timing;
    const { attempts, minIntervalMs, maxRunningPerTenant, namespaceRunsPerSecond } = options;
    const limits = { maxRunningPerTenant, namespaceRunsPerSecond };
    while (!runs.draining && runs.size < options.concurrency && this.#claimsThisTurn < CLAIMS_PER_TURN) {
      const owner = `${options.owner}/${this.#claims++}`;
      const terms = { owner, leaseMs, attempts, minIntervalMs, ...limits };
      const claim = this.#ledger.claim(this.#now(), terms);
      if (claim === undefined) return;
      this.#countClaim();
      void runs.track(this.#run(worker, claim)).then(() => this.#advance());
    }
  }

  #countClaim(): void {
    this.#claimsThisTurn += 1;
    if (this.#claimsThisTurn > 1) return;
    setImmediate(() => {
      const held = this.#claimsThisTurn >= CLAIMS_PER_TURN;
      this.#claimsThisTurn = 0;
      if (held) this.#advance();
    });
  }

  async #run({ options, run, runs }: Worker, claim: Claim): Promise<void> {
    using freshness = startFreshness(this.#clock, options.freshMs);
    const end = await runLease(claim, {
      clock: this.#clock,
      timing: this.#timing,
      run,
      renew: async () => this.#ledger.renew(this.#now(), claim, this.#timing.leaseMs),
      isFresh: freshness.isFresh,
      stop: runs.stop,
    });
    if (end.type === "stopped") this.#ledger.release(this.#now(), claim);
    else this.#finish(claim, end.outcome);
  }

  #finish(claim: Claim, outcome: Outcome): void {
    const run = outcome.type === "error" ? failedRun(this.#name, claim, outcome) : undefined;
    this.#finishing = run;
    const accepted = this.#ledger.finish(this.#now(), claim, outcome);
    this.#finishing = undefined;
    if (run !== undefined && !accepted) void this.#note({ ...run, fenced: true });
  }

  /**
   * Notes a failure: called by the ledger within `finish`, or within `tick` for an expired lease, whose run is unknown.
   */
  #failed(failed: CountedFailure): void {
    const known = this.#finishing ?? { function: this.#name, causes: [] };
    void this.#note({ ...known, ...failed });
  }

  /** Writes the letter, then ends the death. A tick repeats a death whose letter cannot be stored now. */
  async #note(run: FailedRun): Promise<void> {
    const stored = await this.#noteFailure(run).then(
      () => true,
      () => false,
    );
    if (run.death === undefined || !stored) return;
    this.#ledger.bury(this.#now(), run.key, run.death.since);
    this.#advance();
  }

  /** Sets one timer, to the earliest instant; it may fire early when that instant has moved, and is then set again. */
  #arm(): void {
    const at = this.#ledger.nextAt();
    if (at === undefined || (this.#armed !== undefined && this.#armed.at <= at)) return;
    this.#armed?.cancel();
    const cancel = this.#clock.after(Math.max(0, at - this.#now()), () => {
      this.#armed = undefined;
      this.#advance();
    });
    this.#armed = { at, cancel };
  }
}
