import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Contender } from "./contender.ts";
import { createInformers } from "./relay-informer.ts";
import { LIST_VERSION, loadOfPath, sentAtOf } from "./relay-load.ts";
import { createOurs } from "./relay-ours.ts";

/*
 * One measurement of one contender in a process of its own, so that its memory and its event loop are its own as well.
 * Arguments: contender, task, URL of the server, further URLs; the result goes to the parent.
 */

export interface Flow {
  readonly perSecond: number;
  /** Work of one core; other load on the machine does not count. */
  readonly perCpuSecond: number;
  /** Event loop. */
  readonly lagP99Ms: number;
  readonly jobs: number;
}

export interface Neighbour {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Memory {
  readonly bytesPerObject: number;
  readonly residentMiB: number;
}

export interface Storm {
  readonly cpuSeconds: number;
  readonly lagMaxMs: number;
  readonly residentMiB: number;
}

/** How long the quiet cluster is listened to. */
const LISTEN_MS = 10_000;
/** The first events include compiling, which has nothing to do with neighbours. */
const WARM_MS = 2_000;

const [name = "", task = "", first = "", ...others] = process.argv.slice(2);
const url = new URL(first);
const load = loadOfPath(decodeURIComponent(url.pathname.slice(1)));
const TASKS: { readonly [task: string]: () => Promise<object> } = { flow, neighbour, memory, storm };
const run = TASKS[task];
if (run === undefined) throw new Error(`bug: no task ${task}`);
process.send?.(await run());
process.disconnect();
process.exit();

function create(redisUrl?: string): Promise<Contender> {
  return name === "capstan" ? createOurs(redisUrl) : createInformers();
}

/** All events of the load, as fast as they can be taken. */
async function flow(): Promise<Flow> {
  const contender = await create();
  const last = String(LIST_VERSION + load.events);
  const listed = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let startedAt = 0;
  let cpu = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  await contender.follow(
    { url, load, name: "bench" },
    {
      listed() {
        startedAt = performance.now();
        cpu = process.cpuUsage();
        delay.enable();
        listed.resolve();
      },
      changed({ metadata }) {
        if (metadata.resourceVersion === last) done.resolve();
      },
    },
  );
  await listed.promise;
  await done.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    perSecond: Math.round(load.events / seconds),
    perCpuSecond: Math.round(load.events / cpuSince(cpu)),
    lagP99Ms: round(delay.percentile(99) / 1e6),
    jobs: contender.jobs(),
  };
}

/** Delay of the events of a quiet cluster, beside another cluster if one is given. */
async function neighbour(): Promise<Neighbour> {
  const contender = await create();
  const delays: number[] = [];
  const nothing = { listed: () => undefined, changed: () => undefined };
  const quiet = {
    listed: () => undefined,
    changed: (object: KubeObject) => void delays.push(Date.now() - sentAtOf(object)),
  };
  await contender.follow({ url, load, name: "quiet" }, quiet);
  await setTimeout(WARM_MS);
  delays.length = 0;
  for (const [at, other] of others.entries()) {
    const hostile = new URL(other);
    const its = loadOfPath(decodeURIComponent(hostile.pathname.slice(1)));
    await contender.follow({ url: hostile, load: its, name: `hostile-${at}`, untrusted: true }, nothing);
  }
  await setTimeout(LISTEN_MS);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? -1;
  return { events: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

/** Memory of the process per listed object; ours keeps snapshots in Redis, whose URL is given. */
async function memory(): Promise<Memory> {
  const contender = await create(others[0]);
  const before = usedBytes();
  const listed = Promise.withResolvers<void>();
  await contender.follow({ url, load, name: "bench" }, { listed: listed.resolve, changed: () => undefined });
  await listed.promise;
  await setTimeout(2_000);
  const bytesPerObject = Math.round((usedBytes() - before) / load.objects);
  return { bytesPerObject, residentMiB: residentMiB() };
}

/** Watches of many clusters until the parent says that all are back after having been broken. */
async function storm(): Promise<Storm> {
  const contender = await create();
  const clusters = Number(others[0]);
  let left = clusters;
  const ready = Promise.withResolvers<void>();
  const listed = () => {
    left -= 1;
    if (left === 0) ready.resolve();
  };
  for (let at = 0; at < clusters; at += 1) {
    await contender.follow({ url, load, name: `c${at}` }, { listed, changed: () => undefined });
  }
  await ready.promise;
  await setTimeout(2_000);
  const cpu = process.cpuUsage();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const back = new Promise((resolve) => process.once("message", resolve));
  process.send?.({ ready: true });
  await back;
  return { cpuSeconds: cpuSince(cpu), lagMaxMs: round(delay.max / 1e6), residentMiB: residentMiB() };
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function residentMiB(): number {
  return Math.round(process.memoryUsage().rss / 2 ** 20);
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return round((user + system) / 1e6);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
