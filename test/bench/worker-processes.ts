import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { freePorts } from "../support/processes/free-ports.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";
import { usageOf } from "./capstan-process.ts";
import { metricSum } from "./part-process.ts";

const ROOT = new URL("../../", import.meta.url);

/** How long keys were ready before a worker took them: runs so far by the upper bound in seconds, each with all below it. */
export type Waits = ReadonlyMap<number, number>;

/** A process, as it was seen last. */
interface Worker {
  readonly child: ChildProcess;
  readonly url: string;
  metrics: string;
  cpuSeconds: number;
}

/** A process of Capstan for some functions, as users start it. */
export async function startPart(
  part: "relay" | "worker",
  args: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const { flags, main } = await capstanCommand();
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const own = [part, "--log-level", "error", "--metrics-address", address, ...args];
  const child = spawnChild(process.execPath, [...flags, main, ...own], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return { child, url: `http://${address}` };
}

/** Real `capstan worker` processes of the same functions, as many as a Deployment would run. */
export class WorkerProcesses implements AsyncDisposable {
  /** Exit codes of those that were asked to stop. */
  readonly exitCodes: (number | null)[] = [];
  most = 0;
  readonly #args: readonly string[];
  readonly #running: Worker[] = [];
  readonly #ended: Worker[] = [];
  readonly #stopping = new Set<Promise<void>>();

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  get replicas(): number {
    return this.#running.length;
  }

  /** Starts workers, or asks the newest ones to stop. */
  async scale(replicas: number): Promise<void> {
    while (this.#running.length < replicas) {
      this.#running.push({ ...(await startPart("worker", this.#args)), metrics: "", cpuSeconds: 0 });
    }
    this.most = Math.max(this.most, replicas);
    for (const worker of this.#running.splice(replicas)) this.#stop(worker);
  }

  /** Looks at those that run: one that stops takes its metrics along. */
  async look(): Promise<void> {
    await Promise.all(this.#running.map(look));
  }

  /** Of all of them as they were seen last, also of those that have ended. */
  get waits(): Waits {
    return sumsOf(this.#all.map(({ metrics }) => waitsIn(metrics)));
  }

  get cpuSeconds(): number {
    return this.#all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  }

  /** A counter, summed over all its labels. */
  count(name: string): number {
    return this.#all.reduce((sum, { metrics }) => sum + metricSum(metrics, name), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scale(0);
    await Promise.all(this.#stopping);
  }

  get #all(): readonly Worker[] {
    return [...this.#running, ...this.#ended];
  }

  #stop(worker: Worker): void {
    this.#ended.push(worker);
    const stopped = once(worker.child, "exit").then(([code]) => {
      this.exitCodes.push(code);
      this.#stopping.delete(stopped);
    });
    this.#stopping.add(stopped);
    worker.child.kill("SIGTERM");
  }
}

const BUCKET = /^workqueue_queue_duration_seconds_bucket\{.*le="([^"]+)".*\} (\d+)$/gm;

/** A worker that does not answer yet, or any longer, stays as it was. */
async function look(worker: Worker): Promise<void> {
  try {
    worker.metrics = await (await fetch(`${worker.url}/metrics`)).text();
    worker.cpuSeconds = (await usageOf(worker.child.pid)).cpuSeconds;
  } catch {
    // Also once it has ended.
  }
}

function waitsIn(metrics: string): Waits {
  const entries = [...metrics.matchAll(BUCKET)].map(
    ([, le = "", runs]) => new Map([[le === "+Inf" ? Infinity : Number(le), Number(runs)]]),
  );
  return sumsOf(entries);
}

export function sumsOf(all: readonly Waits[]): Waits {
  const sums = new Map<number, number>();
  for (const waits of all) for (const [bound, runs] of waits) sums.set(bound, (sums.get(bound) ?? 0) + runs);
  return sums;
}

/** The bound within which this share of the runs since `before` have started. */
export function within(share: number, before: Waits, after: Waits): number {
  const since = [...after]
    .map(([bound, runs]) => [bound, runs - (before.get(bound) ?? 0)] as const)
    .toSorted(([a], [b]) => a - b);
  const all = since.at(-1)?.[1] ?? 0;
  return since.find(([, runs]) => runs >= share * all)?.[0] ?? 0;
}
