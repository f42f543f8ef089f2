import { systemClock } from "../../infra/platform/clock.ts";
import type { LedgerLimits } from "../../infra/queue/limits.ts";
import type { LeaseTiming } from "../../infra/queue/run-lease.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../shared/function/backoff.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type {
  Counted,
  Lease,
  NoteCount,
  Outcome,
  Queue,
  QueueEntry,
  WorkOptions,
} from "../../shared/runtime/queue/queue-port.ts";
import type { VirtualClock } from "../support/clock.ts";
import { eventually, HANG_MS, holds } from "../support/eventually.ts";

export interface QueueUnderTest extends AsyncDisposable {
  readonly queue: Queue;
  /** Another process with the same queue; the same object where a process is alone. */
  readonly other: Queue;
  /** Absent: time is real. */
  readonly clock?: VirtualClock;
}

export interface QueueOptions {
  readonly timing: Partial<LeaseTiming>;
  readonly limits: Partial<LedgerLimits>;
  readonly noteCount: NoteCount;
}

export type CreateQueue = (options: QueueOptions) => Promise<QueueUnderTest>;

/** Never reached within a test. */
export const HOUR = 60 * MINUTE;
export const OK: Outcome & { readonly type: "ok" } = { type: "ok", requested: false, fences: [] };
export const live = (key: string, delayMs = 0): QueueEntry => ({ key, priority: "live", delayMs });
export const resync = (key: string, delayMs = 0): QueueEntry => ({ key, priority: "resync", delayMs });

/** A queue with a function of its own. */
export async function openWorld(
  create: CreateQueue,
  { timing = {}, limits = {} }: Partial<Omit<QueueOptions, "noteCount">> = {},
): Promise<World> {
  const counts = new Map<string, number>();
  const noteCount: NoteCount = (functionName, counted, times) => {
    const id = `${functionName} ${counted}`;
    counts.set(id, (counts.get(id) ?? 0) + times);
  };
  return new World(await create({ timing, limits, noteCount }), counts);
}

let functionCount = 0;

/** A function of its own on a queue, with what tests do to it. */
export class World implements AsyncDisposable {
  readonly functionName: string = `f-${++functionCount}`;
  readonly #under: QueueUnderTest;
  readonly #counts: ReadonlyMap<string, number>;
  readonly #workers = new Set<AsyncDisposable>();

  constructor(under: QueueUnderTest, counts: ReadonlyMap<string, number>) {
    this.#under = under;
    this.#counts = counts;
  }

  get clock(): Clock {
    return this.#under.clock ?? systemClock;
  }

  /** The counts of the ledger for this function. */
  counted(what: Counted): number {
    return this.#counts.get(`${this.functionName} ${what}`) ?? 0;
  }

  get queue(): Queue {
    return this.#under.queue;
  }

  get other(): Queue {
    return this.#under.other;
  }

  enqueue(...entries: readonly QueueEntry[]): Promise<void> {
    return this.queue.enqueue(this.functionName, entries);
  }

  depth() {
    return this.queue.depth(this.functionName);
  }

  dead() {
    return this.queue.dead(this.functionName);
  }

  async work(
    run: (lease: Lease) => Promise<Outcome> = async () => OK,
    options: Partial<WorkOptions> = {},
    queue: Queue = this.queue,
  ): Promise<Runs> {
    const leases: Lease[] = [];
    const worker = await queue.work(
      this.functionName,
      { ...DEFAULT_QUEUE, owner: "w", ...options },
      (lease) => {
        leases.push(lease);
        return run(lease);
      },
    );
    this.#workers.add(worker);
    return {
      leases,
      get keys() {
        return leases.map(({ key }) => key);
      },
      get count() {
        return leases.length;
      },
      end: async () => {
        this.#workers.delete(worker);
        await worker[Symbol.asyncDispose]();
      },
    };
  }

  /** Time passes and nothing in this process happens meanwhile, as in a long computation. */
  standStill(ms: number): void {
    if (this.#under.clock === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    else this.#under.clock.standStill(ms);
  }

  pass(ms: number): Promise<void> {
    return holds(() => true, { forMs: ms, stepMs: ms, clock: this.#under.clock });
  }

  until(condition: () => boolean | Promise<boolean>): Promise<unknown> {
    return eventually(condition, { withinMs: HANG_MS, clock: this.#under.clock });
  }

  holds(condition: () => boolean | Promise<boolean>, forMs: number): Promise<void> {
    return holds(condition, { forMs, clock: this.#under.clock });
  }

  async whileTimePasses(work: Promise<void>): Promise<void> {
    let over = false;
    const tracked = work.finally(() => {
      over = true;
    });
    await this.until(() => over);
    await tracked;
  }

  /** Until nothing is ready, running, or due within a minute. */
  idle(): Promise<unknown> {
    return this.until(async () => {
      const { ready, running, nextDueMs = HOUR } = await this.depth();
      return ready === 0 && running === 0 && nextDueMs > MINUTE;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = [...this.#workers].map((worker) => worker[Symbol.asyncDispose]());
    await this.whileTimePasses(Promise.all(ended).then(() => undefined));
    await this.#under[Symbol.asyncDispose]();
  }
}

export interface Runs {
  readonly leases: readonly Lease[];
  readonly keys: readonly string[];
  readonly count: number;
  /** Stops this worker. */
  end(): Promise<void>;
}
