import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { Outcome, Queue, QueueEntry } from "../../shared/runtime/queue/queue-port.ts";
import { until } from "./until.ts";

const OK: Outcome = Object.freeze({ type: "ok", requested: false, fences: [] });
const FUNCTION = "bench";

export interface Throughput {
  readonly addPerSecond: number;
  readonly runPerSecond: number;
  /** Of all jobs from the first add to the last end. */
  readonly perSecond: number;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Something that takes keys and starts them: a driver of the queue, plain BullMQ, a bare list. */
export interface Contender extends AsyncDisposable {
  readonly name: string;
  add(keys: readonly string[]): Promise<void>;
  work(concurrency: number, run: (key: string) => Promise<void>): Promise<AsyncDisposable>;
}

export function contenderOf(name: string, queue: Queue): Contender {
  return {
    name,
    add: (keys) => queue.enqueue(FUNCTION, keys.map(eventOf)),
    work: (concurrency, run) =>
      queue.work(FUNCTION, { ...DEFAULT_QUEUE, concurrency, owner: "bench" }, async ({ key }) => {
        await run(key);
        return OK;
      }),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
}

function eventOf(key: string): QueueEntry {
  return {
    key,
    priority: "live",
    cause: { what: `MachinePool ${key.split("|")[2]}`, resourceVersion: "1234567" },
  };
}

/** Keys as long as real ones. */
export function keysOf(tenant: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${tenant}/-|MachinePool|${tenant}/pool-${n}`);
}

const BATCH = 500;

/** Adds all keys, then runs them with a handler that does nothing. */
export async function measureThroughput(
  contender: Contender,
  { count, concurrency }: { readonly count: number; readonly concurrency: number },
): Promise<Throughput> {
  const keys = keysOf("default", count);
  const startedAt = performance.now();
  for (let at = 0; at < count; at += BATCH) await contender.add(keys.slice(at, at + BATCH));
  const addedAt = performance.now();
  const all = Promise.withResolvers<void>();
  let ran = 0;
  await using _worker = await contender.work(concurrency, async () => {
    ran += 1;
    if (ran === count) all.resolve();
  });
  await all.promise;
  const endedAt = performance.now();
  return {
    addPerSecond: perSecond(count, addedAt - startedAt),
    runPerSecond: perSecond(count, endedAt - addedAt),
    perSecond: perSecond(count, endedAt - startedAt),
  };
}

const FEED_MS = 20;

/**
 * Adds keys at an even rate, whose handler does nothing. Returns the runs a second until the last one has ended: less than
 * `perSecond` where the machine is too slow for it.
 */
export async function runAtRate(
  contender: Contender,
  load: { readonly perSecond: number; readonly seconds: number; readonly concurrency: number },
): Promise<number> {
  const keys = keysOf("default", load.perSecond * load.seconds);
  const all = Promise.withResolvers<void>();
  let ran = 0;
  await using _worker = await contender.work(load.concurrency, async () => {
    ran += 1;
    if (ran === keys.length) all.resolve();
  });
  const startedAt = performance.now();
  for (let added = 0; added < keys.length; ) {
    const due = Math.floor(((performance.now() - startedAt) * load.perSecond) / 1_000);
    if (due > added) await contender.add(keys.slice(added, due));
    added = Math.max(added, due);
    await pause(FEED_MS);
  }
  await all.promise;
  return perSecond(keys.length, performance.now() - startedAt);
}

/** Not counted: code is compiled, scripts are loaded, connections are opened. */
const WARM_UP = 300;

/** From the event to the start of its run, at a steady load below what the queue can do. */
export async function measureLatency(
  contender: Contender,
  { count, everyMs }: { readonly count: number; readonly everyMs: number },
): Promise<Latency> {
  const addedAt = new Map<string, number>();
  const delays: number[] = [];
  await using _worker = await contender.work(64, async (key) => {
    delays.push(performance.now() - (addedAt.get(key) ?? 0));
  });
  const startedAt = performance.now();
  for (const [index, key] of keysOf("steady", WARM_UP + count).entries()) {
    while (performance.now() < startedAt + index * everyMs) await pause(1);
    addedAt.set(key, performance.now());
    void contender.add([key]);
  }
  await until(async () => delays.length === WARM_UP + count);
  return latencyOf(delays.slice(WARM_UP));
}

/** Events on few keys that come faster than their runs end. */
export async function measureStorm(
  contender: Contender,
  { events, keys }: { readonly events: number; readonly keys: number },
): Promise<{ readonly runs: number; readonly seconds: number }> {
  const names = keysOf("storm", keys);
  let runs = 0;
  const last = new Map<string, number>();
  const seen = new Map<string, number>();
  await using _worker = await contender.work(64, async (key) => {
    runs += 1;
    const version = last.get(key) ?? 0;
    await pause(5);
    seen.set(key, version);
  });
  const startedAt = performance.now();
  for (let at = 0; at < events; at += 100) {
    const some = Array.from({ length: 100 }, (_, n) => names[(at + n) % keys] ?? "");
    for (const key of some) last.set(key, at);
    await contender.add(some);
  }
  await until(async () => names.every((key) => seen.get(key) === last.get(key)));
  return { runs, seconds: round((performance.now() - startedAt) / 1_000) };
}

export interface Fairness {
  readonly alone: Latency;
  readonly behind: Latency;
}

/**
 * Start delays of a quiet tenant alone, and behind the backlog of a noisy one: 16 runs of 5 ms at a time. The quiet
 * one's keys come one every `everyMs`; 0 = all at once, of which a fair share is half of the workers.
 */
export async function measureFairness(
  create: () => Promise<Contender>,
  load: { readonly noisy: number; readonly quiet: number; readonly everyMs: number },
): Promise<Fairness> {
  return { alone: await quietDelays(create, { ...load, noisy: 0 }), behind: await quietDelays(create, load) };
}

async function quietDelays(
  create: () => Promise<Contender>,
  { noisy, quiet, everyMs }: Parameters<typeof measureFairness>[1],
): Promise<Latency> {
  await using contender = await create();
  const delays: number[] = [];
  const addedAt = new Map<string, number>();
  const backlog = keysOf("noisy", noisy);
  for (let at = 0; at < noisy; at += BATCH) await contender.add(backlog.slice(at, at + BATCH));
  await using _worker = await contender.work(16, async (key) => {
    const at = addedAt.get(key);
    if (at !== undefined) delays.push(performance.now() - at);
    await pause(5);
  });
  // The workers are busy with the noisy tenant when the quiet one comes.
  await pause(100);
  const keys = keysOf("quiet", quiet);
  for (const key of keys) addedAt.set(key, performance.now());
  if (everyMs === 0) await contender.add(keys);
  for (const key of everyMs === 0 ? [] : keys) {
    addedAt.set(key, performance.now());
    void contender.add([key]);
    await pause(everyMs);
  }
  await until(async () => delays.length === quiet);
  return latencyOf(delays);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function latencyOf(delays: readonly number[]): Latency {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

function perSecond(count: number, ms: number): number {
  return Math.round((count / ms) * 1_000);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
