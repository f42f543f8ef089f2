import { systemClock } from "../../infra/platform/clock.ts";
import type { Server } from "../../infra/platform/kube/client.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { startCloud } from "../../infra/playground/sim/cloud.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/api/path.ts";
import { clusterctlMissing, startClusterctl } from "../support/clusterctl.ts";
import { startSide, type TestSide } from "../support/management-side.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { openWorkload } from "../support/moved-cluster.ts";
import { EMBEDDED, REAL } from "../support/processes/api-servers.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { silentLog } from "../support/silent-log.ts";
import { round, startCapstan } from "./capstan-process.ts";
import { countBy, type FunctionRequest, ofFunctions } from "./function-requests.ts";
import { writeResults } from "./results.ts";
import { isRunning, untilAll } from "./until.ts";

const CLUSTER = "c1";
const POOLS = 100;
const REPLICAS = 3;
const GOAL = { availableSeconds: 30, requestsPerPool: 8, nodeWrites: 0 };
/** Objects of a pool are created as fast as clusterctl may; what follows the last of them is over by then. */
const SETTLE_MS = 5_000;

interface Result {
  readonly servers: string;
  readonly pools: number;
  readonly nodes: number;
  /** Of `clusterctl move`, which asks each server 20 times a second at most. */
  readonly moveSeconds: number;
  /** From unpausing at the target to the condition `Available` of the Cluster. */
  readonly availableSeconds: number;
  /** From unpausing at the target until the last pool is Running with all its Nodes. */
  readonly runningSeconds: number;
  /** Of the functions of Cluster and MachinePool on both sides, reads included, without Events and simulated providers. */
  readonly requestsPerPool: number;
  readonly requestsPerPoolAtSource: number;
  readonly providerRequestsPerPool: number;
  /** Changes of Nodes that a watch of the workload cluster shows, from before the move to its end. */
  readonly nodeWrites: number;
  readonly requests: { readonly [side: string]: { readonly [functionAndVerb: string]: number } };
  readonly goal: typeof GOAL;
}

/**
 * Moves a Cluster of 100 pools with the real clusterctl from one management cluster to another, each with a Capstan in
 * a process of its own; one simulated cloud, in this process, serves both. Real API servers where their binaries are there.
 */
export async function movedPoolsBench(): Promise<void> {
  const missing = clusterctlMissing();
  if (missing !== undefined) throw new Error(missing);
  await using stack = new AsyncDisposableStack();
  const flavour = REAL.missing === undefined ? REAL : EMBEDDED;
  const source = stack.use(await startSide(flavour));
  const target = stack.use(await startSide(flavour));
  const serves = [source, target].map(({ server }, at) => ({ server, name: `management-${at}` }));
  stack.use(await startCloud({ serves, clock: systemClock, log: silentLog }));
  for (const { started } of [source, target]) stack.use(await startCapstan(started.kubeconfigFile, ["*"]));
  const workload = stack.use(await plantPools(source));
  using nodes = await followNodes(workload);
  const moved = await move(source, target);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

  const [atSource, atTarget] = [
    await requestsOf(source, moved.since[0]),
    await requestsOf(target, moved.since[1]),
  ];
  const perPool = (requests: readonly FunctionRequest[]) => round(requests.length / POOLS);
  const own = atTarget.filter(isOwn);
  const result: Result = {
    servers: flavour === REAL ? "two real kube-apiservers" : "two embedded API servers",
    pools: POOLS,
    nodes: nodes.count,
    ...moved.seconds,
    requestsPerPool: perPool([...atSource.filter(isOwn), ...own]),
    requestsPerPoolAtSource: perPool(atSource.filter(isOwn)),
    providerRequestsPerPool: perPool([...atSource, ...atTarget].filter((request) => !isOwn(request))),
    nodeWrites: nodes.changes(),
    requests: { source: countBy(atSource, titleOf), target: countBy(atTarget, titleOf) },
    goal: GOAL,
  };
  console.log(result.requests);
  const rows = (["availableSeconds", "requestsPerPool", "nodeWrites"] as const).map((name) => [
    name,
    String(result[name]),
    String(GOAL[name]),
    result[name] <= GOAL[name] ? "" : "missed",
  ]);
  console.log(formatTable([`${POOLS} POOLS MOVED`, "CAPSTAN", "GOAL", ""], rows));
  await writeResults("contracts-move", result);
}

/** Returns the workload API server of the Cluster once all its pools are Running. */
async function plantPools({ started, client }: TestSide): Promise<Server> {
  const kubectl = kubectlFor(started.kubeconfigFile);
  const names = Array.from({ length: POOLS }, (_, at) => `p${at}`);
  const manifests = [simCluster(CLUSTER), ...names.map((name) => simPool(name, CLUSTER, REPLICAS))];
  await kubectl("apply -f -", manifests.join("---"));
  await untilAll(client, MachinePool as Kind, POOLS, isRunning(REPLICAS));
  await untilAll(client, Cluster as Kind, 1, isAvailable);
  return openWorkload(kubectl, CLUSTER);
}

interface Moved {
  readonly seconds: Pick<Result, "moveSeconds" | "availableSeconds" | "runningSeconds">;
  /** Requests before, at the source and at the target. */
  readonly since: readonly [number, number];
}

async function move(source: TestSide, target: TestSide): Promise<Moved> {
  const { kubeconfigFile } = source.started;
  await using clusterctl = await startClusterctl({ kubeconfigFile, config: "" });
  const since = [(await source.started.requests()).length, (await target.started.requests()).length] as const;
  const startedAt = Date.now();
  const { client } = target;
  const seen = Promise.all([
    untilAll(client, Cluster as Kind, 1, isUnpaused),
    untilAll(client, Cluster as Kind, 1, (cluster) => isUnpaused(cluster) && isAvailable(cluster)),
    untilAll(client, MachinePool as Kind, POOLS, isRunning(REPLICAS)),
  ]);
  await clusterctl(`move -n default --to-kubeconfig ${target.started.kubeconfigFile}`);
  const moveSeconds = (Date.now() - startedAt) / 1_000;
  const [unpausedAt = 0, availableAt = 0, runningAt = 0] = (await seen).map((times) =>
    Math.max(...times.values()),
  );
  return {
    since,
    seconds: {
      moveSeconds: round(moveSeconds),
      availableSeconds: round((availableAt - unpausedAt) / 1_000),
      runningSeconds: round((runningAt - unpausedAt) / 1_000),
    },
  };
}

function isUnpaused(cluster: KubeObject): boolean {
  return valueAt(cluster, "spec.paused") !== true;
}

function isAvailable(cluster: KubeObject): boolean {
  return valueAt(cluster, "status.conditions[Available].status") === "True";
}

async function requestsOf({ started }: TestSide, since: number): Promise<readonly FunctionRequest[]> {
  const answered = (await started.requests()).slice(since);
  return ofFunctions(answered).filter(({ resource }) => resource !== "events");
}

function isOwn({ by }: FunctionRequest): boolean {
  return !by.startsWith("sim-");
}

function titleOf({ by, verb, resource }: FunctionRequest): string {
  return `${by} ${verb} ${resource}`;
}

/** Counts what happens to the Nodes of a workload cluster until it is disposed. */
async function followNodes(
  workload: Server,
): Promise<Disposable & { readonly count: number; changes(): number }> {
  const client = workload.as("test");
  const stopping = new AbortController();
  const { items, resourceVersion } = await client.list(Node, {});
  let changes = 0;
  const watching = { resourceVersion, timeoutSeconds: 3_600 };
  const following = (async () => {
    for await (const { type } of client.watch(Node as Kind, watching, stopping.signal))
      if (type !== "BOOKMARK") changes += 1;
  })();
  let broken: unknown;
  following.catch((error: unknown) => {
    broken = error;
  });
  return {
    count: items.length,
    changes() {
      if (broken !== undefined) throw broken;
      return changes;
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}
