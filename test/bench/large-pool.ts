import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/api/path.ts";
import { type CapstanProcess, round, startCapstan, startWorld, type World } from "./capstan-process.ts";
import { countBy, requestsIn } from "./function-requests.ts";
import { createPool, prepareCluster, preparePool, shrinkPool } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { isMarked, untilAll, untilConnected } from "./until.ts";

const NODES = 5_000;
const FEWER = 2_500;
const POOL = "large";
const SETTLE_MS = 3_000;

/** Costs of one change of the pool. */
interface Row {
  readonly change: string;
  /** Until the pool is Running with the refs of all its Nodes. */
  readonly runningSeconds: number;
  /** Until its Nodes are as they should be as well. */
  readonly seconds: number;
  readonly nodeRequestsPerNode: number;
  readonly statusWrites: number;
  readonly statusWritesPerSecond: number;
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
  readonly requests: { readonly [functionAndVerb: string]: number };
}

/**
 * A pool of 5,000 Nodes that are there already, then half of it, on a real kube-apiserver which is the workload cluster,
 * too. Goals: 60 s to Running, one request per Node, one status write a second.
 */
export async function largePoolBench(): Promise<void> {
  await using world = await startWorld();
  const { client } = world;
  await installCrds(client, systemClock);
  await prepareCluster(client, world.kubeconfig);
  await preparePool(client, POOL, NODES);
  await using capstan = await startCapstan(world.kubeconfigFile);
  await untilConnected(client);
  const rows = [
    await measure(`0 to ${NODES}`, world, capstan, {
      apply: () => createPool(client, POOL, NODES),
      nodes: NODES,
      changed: NODES,
      settled: () => untilAll(client, Node as Kind, NODES, isMarked),
    }),
    await measure(`${NODES} to ${FEWER}`, world, capstan, {
      apply: () => shrinkPool(client, POOL, FEWER),
      nodes: FEWER,
      changed: NODES - FEWER,
      settled: () => setTimeout(0),
    }),
  ];
  const header = Object.keys(rows[0] ?? {}).filter((name) => name !== "requests");
  const cells = rows.map((row) => header.map((name) => String(Reflect.get(row, name))));
  console.log(formatTable(header, cells));
  for (const { change, requests } of rows) console.log(change, requests);
  await writeResults("large-pool", rows);
}

interface PoolChange {
  readonly apply: () => Promise<unknown>;
  /** Of the pool afterwards. */
  readonly nodes: number;
  /** Nodes that must be written or deleted. */
  readonly changed: number;
  readonly settled: () => Promise<unknown>;
}

async function measure(
  change: string,
  { client, auditLog }: World,
  capstan: CapstanProcess,
  { apply, nodes, changed, settled }: PoolChange,
): Promise<Row> {
  if (auditLog === undefined)
    throw new Error("bench large-pool needs a real API server; see KUBEBUILDER_ASSETS in README.md");
  const before = await capstan.usage();
  const asked = await requestsIn(auditLog);
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1_000;
  await apply();
  await untilAll(client, MachinePool as Kind, 1, (pool) => isRunningWith(pool, nodes));
  const runningSeconds = since();
  await settled();
  const seconds = since();
  await setTimeout(SETTLE_MS);
  const after = await capstan.usage();
  const requests = (await requestsIn(auditLog)).slice(asked.length);
  const count = (isMeant: (request: (typeof requests)[number]) => boolean) => requests.filter(isMeant).length;
  const statusWrites = count(
    ({ by, resource }) => by === "machinepool-status" && resource.endsWith("/status"),
  );
  return {
    change,
    runningSeconds: round(runningSeconds),
    seconds: round(seconds),
    nodeRequestsPerNode: round(count(({ resource }) => resource === "nodes") / changed),
    statusWrites,
    statusWritesPerSecond: round(statusWrites / Math.max(1, seconds)),
    cpuSeconds: round(after.cpuSeconds - before.cpuSeconds),
    residentMiB: after.residentMiB,
    peakMiB: after.peakMiB,
    requests: countBy(requests, ({ by, verb, resource }) => `${by} ${verb} ${resource}`),
  };
}

function isRunningWith(pool: KubeObject, nodes: number): boolean {
  const refs = valueAt(pool, "status.nodeRefs");
  const count = Array.isArray(refs) ? refs.length : 0;
  return valueAt(pool, "status.phase") === "Running" && count === nodes;
}
