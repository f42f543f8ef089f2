import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { round, startCapstan, startWorld } from "./capstan-process.ts";
import { countBy, requestsIn } from "./function-requests.ts";
import { type Cost, formatGoals, POOL_GOALS } from "./goals.ts";
import { createPool, prepareCluster, preparePool, sideBySide } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { isMarked, isRunning, untilAll, untilConnected } from "./until.ts";

const COUNTS = [1, 10, 100, 200, 1_000];
const REPLICAS = 3;
const SETTLE_MS = 3_000;
const REST_MS = 10_000;

/**
 * `seconds` are those from the first creation until every pool is Running, all other figures count until the last Node
 * is marked. Requests are those of all functions, reads included.
 */
interface Row extends Cost {
  readonly pools: number;
  readonly eventsPerPool: number;
  /** Runs of all functions per pool. */
  readonly jobsPerPool: number;
  /** Of the whole process, watches and TLS included. */
  readonly receivedKiBPerPool: number;
  readonly sentKiBPerPool: number;
  readonly residentMiB: number;
  /** Requests of all functions within 10 s in which nothing happens. */
  readonly requestsAtRest: number;
  /** Processes that wanted one of the machine's cores, averaged over the last minute: seconds depend on it. */
  readonly load: number;
  readonly requestsByFunction: { readonly [functionAndVerb: string]: number };
  readonly jobsByFunction: { readonly [name: string]: number };
}

/**
 * Pools of three whose providers are ready at creation, in one Cluster, on a real kube-apiserver: what they cost a
 * Capstan that runs in a process of its own. Goals: those of goals.ts, and a cost per pool that does not grow.
 */
export async function machinepoolBench(): Promise<void> {
  const counts = process.argv.slice(3).map(Number);
  const rows: Row[] = [];
  for (const pools of counts.length > 0 ? counts : COUNTS) rows.push(await measure(pools));
  for (const row of rows) console.log(`${row.pools} pools:`, row.requestsByFunction, row.jobsByFunction);
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  for (const row of rows) {
    const comparison = POOL_GOALS.get(row.pools);
    if (comparison !== undefined) console.log(`\n${formatGoals(`${row.pools} POOLS`, row, comparison)}`);
  }
  if (counts.length === 0) await writeResults("machinepool", rows);
}

async function measure(pools: number): Promise<Row> {
  await using world = await startWorld();
  const { client, auditLog } = world;
  if (auditLog === undefined)
    throw new Error("bench machinepool needs a real API server; see KUBEBUILDER_ASSETS in README.md");
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  await installCrds(client, systemClock);
  await prepareCluster(client, world.kubeconfig);
  await sideBySide(names, (name) => preparePool(client, name, REPLICAS));
  await using capstan = await startCapstan(world.kubeconfigFile);
  await untilConnected(client);

  const jobsBefore = await capstan.jobs();
  const before = await capstan.usage();
  const asked = await requestsIn(auditLog);
  const startedAt = performance.now();
  const created = sideBySide(names, (name) => createPool(client, name, REPLICAS));
  await untilAll(client, MachinePool as Kind, pools, isRunning(REPLICAS));
  await created;
  const seconds = (performance.now() - startedAt) / 1_000;
  const [load = 0] = loadavg();
  await untilAll(client, Node as Kind, pools * REPLICAS, isMarked);
  const up = await capstan.usage();
  await setTimeout(SETTLE_MS);
  const jobs = await capstan.jobs();
  const settled = await requestsIn(auditLog);
  await setTimeout(REST_MS);
  const rested = await requestsIn(auditLog);
  const { residentMiB, peakMiB } = await capstan.usage();

  const requests = settled.slice(asked.length);
  const events = requests.filter(({ resource }) => resource === "events").length;
  const jobsByFunction = [...jobs].map(([name, runs]) => [name, runs - (jobsBefore.get(name) ?? 0)] as const);
  return {
    pools,
    seconds: round(seconds),
    requestsPerPool: round((requests.length - events) / pools),
    eventsPerPool: round(events / pools),
    jobsPerPool: round(jobsByFunction.reduce((sum, [, runs]) => sum + runs, 0) / pools),
    receivedKiBPerPool: round((up.receivedBytes - before.receivedBytes) / 1_024 / pools),
    sentKiBPerPool: round((up.sentBytes - before.sentBytes) / 1_024 / pools),
    cpuSecondsPerPool: round((up.cpuSeconds - before.cpuSeconds) / pools, 4),
    residentMiB,
    peakMiB,
    requestsAtRest: rested.length - settled.length,
    load: round(load, 1),
    requestsByFunction: countBy(requests, ({ by, verb, resource }) => `${by} ${verb} ${resource}`),
    jobsByFunction: Object.fromEntries(jobsByFunction.filter(([, runs]) => runs > 0)),
  };
}

const HEADER = [
  "POOLS",
  "SECONDS",
  "REQUESTS/POOL",
  "EVENTS/POOL",
  "JOBS/POOL",
  "KiB IN/POOL",
  "KiB OUT/POOL",
  "CPU s/POOL",
  "RSS MiB",
  "PEAK MiB",
  "REQUESTS AT REST",
  "LOAD",
];

function cellsOf(row: Row): readonly string[] {
  return [
    row.pools,
    row.seconds,
    row.requestsPerPool,
    row.eventsPerPool,
    row.jobsPerPool,
    row.receivedKiBPerPool,
    row.sentKiBPerPool,
    row.cpuSecondsPerPool,
    row.residentMiB,
    row.peakMiB,
    row.requestsAtRest,
    row.load,
  ].map(String);
}
