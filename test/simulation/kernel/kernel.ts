import { createHash } from "node:crypto";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { type Due, DueHeap } from "./due-heap.ts";
import { type Seeded, seeded } from "./seeded.ts";

/** One step with a waiter; it happens when the scheduler picks it. */
export interface Operation {
  /** Whose it is: with the end of the process it never happens. */
  readonly process: Process;
  /** `request`, `answer`, `line`, `store`, `ledger`, `token`, `timer`; faults choose by it. */
  readonly kind: string;
  /** For the trace, made when it happens. */
  readonly what: () => string;
  /** The same in every run in which it happens at all; faults are named by it. Default: `what`. */
  readonly site?: () => string;
  /** A timer of the machinery that leaves no line in the trace. */
  readonly isQuiet?: boolean;
  /** Completes it, unless a fault does so in its own way. */
  run(): void;
}

/** A simulated process: its own clock and chance; everything it waits for goes with it. */
export interface Process {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly isAlive: boolean;
  /** Nothing of it happens until then; milliseconds since the epoch. */
  readonly wakesAt: number;
  /** Stops it for so long, as SIGSTOP does; then it continues as if nothing had happened. */
  freeze(ms: number): void;
  /** Its wall clock is wrong by so much from now on. */
  setClock(errorMs: number): void;
  /** When its clock stepped last; milliseconds since the epoch. */
  readonly clockSetAt: number | undefined;
  /** Ends here and now, as SIGKILL does. */
  kill(): void;
  /** Calls back at that end, at once if it has come; returns a function that cancels this. */
  onKill(callback: () => void): () => void;
}

/** Decides what becomes of an operation that was picked; true: it is taken care of. */
type Interceptor = (operation: Operation) => boolean;

export interface KernelOptions {
  readonly seed: number;
  /** Keep all lines of the trace. */
  readonly keepTrace?: boolean;
  /** Which of these is next, by index; default: whichever the seed says. */
  readonly choose?: ((ready: readonly Operation[]) => number) | undefined;
  /** Every jitter is its mean, so that it makes no difference who has drawn first. */
  readonly isSteady?: boolean;
  /** Operations happen in the order in which they were posted, unless `choose` says otherwise. */
  readonly isInOrder?: boolean | undefined;
}

const KEPT_LINES = 2_000;
/** In one call of the hash, which costs as much as some lines. */
const HASHED_AT_ONCE = 100_000;

/** The events of a run, line by line: its hash says whether two runs were the same. */
interface Trace {
  readonly length: number;
  /** The last lines; all of them when asked for. */
  readonly lines: readonly string[];
  add(line: string): void;
  /** A line about the run rather than of it, such as that a fault strikes: no part of the hash. */
  remark(line: string): void;
  /** SHA-256 over all lines so far. */
  hash(): string;
}

function createTrace(keepAll: boolean): Trace {
  const hash = createHash("sha256");
  let unhashed = "";
  let lines: string[] = [];
  let length = 0;
  const hashAll = (): void => {
    hash.update(unhashed);
    unhashed = "";
  };
  const keep = (line: string): void => {
    lines.push(line);
    if (!keepAll && lines.length >= 2 * KEPT_LINES) lines = lines.slice(-KEPT_LINES);
  };
  return {
    get length() {
      return length;
    },
    get lines() {
      return lines;
    },
    add(line) {
      unhashed += `${line}\n`;
      if (unhashed.length > HASHED_AT_ONCE) hashAll();
      length += 1;
      keep(line);
    },
    remark: keep,
    hash() {
      hashAll();
      return hash.copy().digest("hex");
    },
  };
}

/**
 * The scheduler: owns every pending operation of every process. Again and again it picks one with the seeded generator,
 * completes it, and lets everything that follows run to its end. Time moves only when nothing else can.
 */
export interface Kernel {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly steps: number;
  readonly trace: Trace;
  readonly scheduler: Seeded;
  /** Operations that time will make ready, in no order. */
  readonly later: readonly { readonly operation: Operation; readonly at: number }[];
  /** The chance of one part, by its name. */
  chance(part: string): Seeded;
  /** Its wall clock may be wrong from the beginning. */
  process(name: string, clockErrorMs?: number): Process;
  /** Another incarnation gets other random numbers. */
  post(operation: Operation, delayMs?: number): () => void;
  /** The newest is asked first. Returns how to end it. */
  intercept(interceptor: Interceptor): () => void;
  /** Called after every step; what it throws ends the run. */
  observe(observer: () => void): void;
  /**
   * Runs until `isOver`, or so much time has passed. Returns whether it was over. Rejects when there is nothing left to
   * happen, or with what an observer throws.
   */
  run(limitMs: number, isOver?: () => boolean): Promise<boolean>;
}

/** 2026-01-01T00:00:00Z. */
const START_MS = 1_767_225_600_000;

/** A run that does more is in a loop. */
const MAX_STEPS = 5_000_000;

interface Pending {
  readonly operation: Operation;
  at: number;
  readonly order: number;
  isCancelled: boolean;
}

/**
 * Operations that are due later, by time and then by the order in which they were posted. Void ones are passed over.
 */
class Timeline<T extends Due> {
  readonly #heap = new DueHeap<T>();
  readonly #isVoid: (one: T) => boolean;

  constructor(isVoid: (one: T) => boolean) {
    this.#isVoid = isVoid;
  }

  /** All that are not void, in no order. */
  get all(): readonly T[] {
    return this.#heap.all.filter((one) => !this.#isVoid(one));
  }

  add(pending: T): void {
    this.#heap.push(pending);
  }

  /** The instant of the next. */
  nextAt(): number | undefined {
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (!this.#isVoid(next)) return next.at;
      this.#heap.pop();
    }
    return undefined;
  }

  take(now: number): T | undefined {
    const at = this.nextAt();
    return at === undefined || at > now ? undefined : this.#heap.pop();
  }
}

export function createKernel(options: KernelOptions): Kernel {
  const { seed, keepTrace = false, choose, isSteady = false, isInOrder = false } = options;
  const scheduler = seeded(seed, "scheduler");
  const trace = createTrace(keepTrace);
  const later = new Timeline<Pending>(
    ({ isCancelled, operation }) => isCancelled || !operation.process.isAlive,
  );
  const ready: Pending[] = [];
  let interceptors: readonly Interceptor[] = [];
  const observers: (() => void)[] = [];
  const incarnations = new Map<string, number>();
  let now = START_MS;
  let order = 0;
  let steps = 0;

  const chance = (part: string): Seeded =>
    isSteady ? { ...seeded(seed, part), number: () => 1 / 2 } : seeded(seed, part);

  const post = (operation: Operation, delayMs = 0): (() => void) => {
    const pending: Pending = {
      operation,
      // Whole milliseconds, as clocks have them: an instant that has been a Date compares equal.
      at: now + Math.ceil(Math.max(0, delayMs)),
      order: order++,
      isCancelled: false,
    };
    if (delayMs > 0) later.add(pending);
    else ready.push(pending);
    return () => {
      pending.isCancelled = true;
    };
  };

  const createProcess = (name: string, initialErrorMs = 0): Process => {
    const incarnation = (incarnations.get(name) ?? 0) + 1;
    incarnations.set(name, incarnation);
    let isAlive = true;
    let wakesAt = 0;
    let clockErrorMs = initialErrorMs;
    let clockSetAt: number | undefined;
    const ends = new Set<() => void>();
    const process: Process = {
      name: incarnation === 1 ? name : `${name}.${incarnation}`,
      random: chance(`process ${name} ${incarnation}`),
      clock: {
        now: () => new Date(now + clockErrorMs),
        after: (delayMs, callback) =>
          post({ process, kind: "timer", what: () => "timer", isQuiet: true, run: callback }, delayMs),
      },
      get isAlive() {
        return isAlive;
      },
      get wakesAt() {
        return wakesAt;
      },
      freeze(ms) {
        wakesAt = now + ms;
      },
      setClock(errorMs) {
        clockErrorMs = errorMs;
        clockSetAt = now;
      },
      get clockSetAt() {
        return clockSetAt;
      },
      kill() {
        isAlive = false;
        for (const end of ends) end();
        ends.clear();
      },
      onKill(callback) {
        if (isAlive) ends.add(callback);
        else callback();
        return () => ends.delete(callback);
      },
    };
    return process;
  };

  const takeAny = (): Pending | undefined => {
    const index = choose?.(ready.map(({ operation }) => operation)) ?? scheduler.below(ready.length);
    const picked = ready[index];
    const last = ready.pop();
    if (picked !== last && last !== undefined) ready[index] = last;
    return picked;
  };

  const pick = (): Pending | undefined => {
    while (ready.length > 0) {
      const picked = isInOrder ? ready.shift() : takeAny();
      if (picked === undefined || picked.isCancelled || !picked.operation.process.isAlive) continue;
      const { wakesAt } = picked.operation.process;
      if (wakesAt <= now) return picked;
      picked.at = wakesAt;
      later.add(picked);
    }
    return undefined;
  };

  const step = (until: number): boolean => {
    for (;;) {
      for (let due = later.take(now); due !== undefined; due = later.take(now)) ready.push(due);
      const picked = pick();
      if (picked !== undefined) {
        perform(picked.operation);
        return true;
      }
      const next = later.nextAt();
      if (next === undefined || next > until) return false;
      now = Math.max(now, next);
    }
  };

  const perform = (operation: Operation): void => {
    steps += 1;
    const { process, kind, what, isQuiet = false } = operation;
    const at = now - START_MS;
    if (!isQuiet) trace.add(`${at} ${process.name} ${kind} ${what()}`);
    if (!interceptors.some((intercepts) => intercepts(operation))) operation.run();
  };

  return {
    get now() {
      return now;
    },
    get steps() {
      return steps;
    },
    trace,
    scheduler,
    get later() {
      return later.all;
    },
    chance,
    process: createProcess,
    post,
    intercept(interceptor) {
      interceptors = [interceptor, ...interceptors];
      return () => {
        interceptors = interceptors.filter((each) => each !== interceptor);
      };
    },
    observe: (observer) => void observers.push(observer),
    async run(limitMs, isOver = () => false) {
      const until = now + Math.ceil(limitMs);
      const most = steps + MAX_STEPS;
      while (!isOver()) {
        if (!step(until)) {
          now = until;
          return isOver();
        }
        await settled();
        for (const observer of observers) observer();
        if (steps > most) throw new Error(`more than ${MAX_STEPS} steps in ${limitMs} ms of simulated time`);
      }
      return true;
    },
  };
}

/** One turn of the event loop: by its end every promise that could be settled has been. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
