import { setTimeout } from "node:timers/promises";
import { serverProcesses } from "../../infra/deploy/manifests/deployments.ts";
import { scaledGroup } from "../../infra/deploy/manifests/scaling.ts";
import type { Group } from "../../shared/function/groups.ts";
import { Autoscaler, type ScaledObject, SYNC_SECONDS } from "../support/autoscaler.ts";
import { sumsOf, type Waits, WorkerProcesses } from "./worker-processes.ts";

/** On a small machine more processes only take turns. */
const MOST_WORKERS = 4;
const LIMIT_MS = 15 * 60_000;
const LOOK_MS = 1_000;

/** Workers of one group, and the ScaledObject that is rendered for them. */
interface Scaled {
  readonly group: Group;
  readonly workers: WorkerProcesses;
  readonly autoscaler: Autoscaler;
}

/** Work of all workers so far, also of those that have ended. */
export interface Done {
  readonly waits: Waits;
  readonly runs: number;
  /** Runs that found snapshots older than what they have seen or written, and only waited. */
  readonly looks: number;
  readonly cpuSeconds: number;
}

/** Workers of all groups under the rendered ScaledObjects, one each at first. */
export class ScaledWorkers implements AsyncDisposable {
  readonly #groups: readonly Scaled[];
  readonly #ending = new AbortController();
  readonly #scaling: Promise<void>;

  private constructor(groups: readonly Scaled[]) {
    this.#groups = groups;
    this.#scaling = this.#scale(this.#ending.signal);
  }

  /** `args` are those of every worker, the functions excepted; the relay says how many workers are wanted. */
  static async start(args: readonly string[], relayUrl: string): Promise<ScaledWorkers> {
    const groups: Scaled[] = [];
    for (const { group, functions } of await serverProcesses()) {
      if (group === undefined) continue;
      const names = functions.map(({ spec }) => spec.name);
      const workers = new WorkerProcesses([...args, "--functions", ...names]);
      await workers.scale(1);
      groups.push({ group, workers, autoscaler: autoscalerOf(group, relayUrl) });
    }
    return new ScaledWorkers(groups);
  }

  async done(): Promise<Done> {
    const all = this.#groups.map(({ workers }) => workers);
    await Promise.all(all.map((workers) => workers.look()));
    const sum = (of: (workers: WorkerProcesses) => number) =>
      all.reduce((total, workers) => total + of(workers), 0);
    return {
      waits: sumsOf(all.map(({ waits }) => waits)),
      runs: sum((workers) => workers.count("controller_runtime_reconcile_total")),
      looks: sum((workers) => workers.count("capstan_queue_barrier_waits_total")),
      cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds),
    };
  }

  /** Resolves once every group has one worker again, within 15 minutes. */
  async untilSmall(): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (this.#groups.some(({ workers }) => workers.replicas > 1)) {
      if (Date.now() > deadline) throw new Error("the workers have not become one again within 15 minutes");
      await setTimeout(LOOK_MS);
    }
  }

  /** By group. */
  get most(): { readonly [group: string]: number } {
    return Object.fromEntries(this.#groups.map(({ group, workers }) => [group, workers.most]));
  }

  /** Workers that were asked to stop and did not end well. */
  get endedBadly(): number {
    return this.#groups.flatMap(({ workers }) => workers.exitCodes).filter((code) => code !== 0).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#scaling;
    await Promise.all(this.#groups.map(({ workers }) => workers[Symbol.asyncDispose]()));
  }

  async #scale(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await setTimeout(SYNC_SECONDS * 1_000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      // A worker that stops takes its metrics along.
      await this.done();
      for (const { workers, autoscaler } of this.#groups) {
        await workers.scale(await autoscaler.sync(workers.replicas));
      }
    }
  }
}

function autoscalerOf(group: Group, relayUrl: string): Autoscaler {
  const rendered: ScaledObject = JSON.parse(JSON.stringify(scaledGroup(group)));
  const spec = { ...rendered.spec, maxReplicaCount: MOST_WORKERS };
  const ask = async ({ pathname, search }: URL) => {
    const answer = await fetch(`${relayUrl}${pathname}${search}`);
    return { status: answer.status, body: await answer.text() };
  };
  return new Autoscaler({ scaledObject: { spec }, ask, nowSeconds: () => performance.now() / 1_000 });
}
