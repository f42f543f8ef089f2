import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { formatTable } from "../../infra/cli/table.ts";
import { systemClock } from "../../infra/clock.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { valueAt } from "../../shared/api/path.ts";
import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import {
  round,
  SETUP,
  startCapstan,
  startWorld,
  type Usage,
  usageOf,
  type World,
} from "./capstan-process.ts";
import { countBy } from "./function-requests.ts";
import { createMachine, prepareMachine, prepareMachineClusters } from "./ready-machines.ts";
import { sideBySide } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { untilAll, untilConnected, untilNone } from "./until.ts";

const COUNTS = [1, 10, 100, 1_000];
const SETTLE_MS = 5_000;
const REST_MS = 60_000;
const READS = new Set(["get", "list", "watch"]);

/** Manager that reconciles Machines. */
interface Manager extends AsyncDisposable {
  usage(): Promise<Usage>;
}

/** Both get equal limits of requests to a workload server. */
const MANAGERS = {
  capstan: (file: string): Promise<Manager> => startCapstan(file, ["cluster-*", "machine-*"]),
  "cluster-api": async (file: string): Promise<Manager> => {
    const flags = ["--clustercache-client-qps=100", "--clustercache-client-burst=200"];
    const running = await startClusterApi(file, flags);
    return { ...running, usage: () => usageOf(running.pid) };
  },
} as const;
type Name = keyof typeof MANAGERS;

/** Costs of `machines` Machines that are made or deleted at once. Requests and writes are those without Events. */
interface Cost {
  readonly seconds: number;
  readonly requestsEach: number;
  readonly writesEach: number;
  readonly eventsEach: number;
  readonly cpuMsEach: number;
}

interface Row {
  readonly manager: Name;
  readonly machines: number;
  readonly clusters: number;
  readonly created: Cost;
  readonly deleted: Cost;
  readonly peakMiB: number;
  /** Every request of the manager within a minute in which nothing happens, probes included. */
  readonly requestsPerClusterMinute: number;
  readonly load: number;
  readonly requestsByVerb: { readonly [verbAndResource: string]: number };
}

/**
 * Stand-alone Machines whose providers are ready at creation, on a real kube-apiserver that is their workload server,
 * too: first until they are Running, then until they are deleted. Capstan and Cluster API's manager one after the other
 * on servers of their own, their order alternated. Goals: a cost per Machine that does not grow, half of Cluster API's
 * seconds and CPU for the creation, three quarters of its seconds for the deletion.
 */
export async function machinesBench(): Promise<void> {
  const missing = clusterApiMissing();
  if (missing !== undefined) console.log(`without Cluster API's manager: ${missing}`);
  const counts = process.argv.slice(3).map(Number);
  const rows: Row[] = [];
  const loads = (counts.length > 0 ? counts : COUNTS).map((machines) => ({ machines, clusters: 1 }));
  if (counts.length === 0) loads.push({ machines: 1_000, clusters: 10 });
  for (const [round, load] of loads.entries()) {
    const names: Name[] = missing === undefined ? ["capstan", "cluster-api"] : ["capstan"];
    for (const name of round % 2 === 0 ? names : names.reverse()) {
      rows.push(await measure(name, load));
      console.log(formatTable(HEADER, rows.slice(-1).map(cellsOf)));
    }
  }
  for (const row of rows) console.log(`${row.manager}, ${row.machines} Machines:`, row.requestsByVerb);
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  if (counts.length === 0) await writeResults("machines", rows);
}

interface Load {
  readonly machines: number;
  readonly clusters: number;
}

async function measure(manager: Name, { machines, clusters }: Load): Promise<Row> {
  await using world = await startWorld();
  const { client } = world;
  const names = Array.from({ length: machines }, (_, index) => `machine-${index}`);
  const clusterNames = Array.from({ length: clusters }, (_, index) => `bench-${index}`);
  if (manager === "capstan") await installCrds(client, systemClock);
  // Cluster API's webhooks answer for its kinds, so its manager comes first.
  await using running = await MANAGERS[manager](world.kubeconfigFile);
  await prepareMachineClusters(client, clusterNames, world.kubeconfig);
  await sideBySide(names, (name) => prepareMachine(client, name));
  await untilConnected(client, clusters);
  await setTimeout(SETTLE_MS);

  const uids = new Map<string, string>();
  const created = await costOf(world, running, machines, async () => {
    const made = sideBySide(names, async (name, at) => {
      const { metadata } = await createMachine(client, name, clusterNames[at % clusters] ?? "");
      uids.set(name, metadata.uid ?? "");
    });
    await untilAll(client, Machine as Kind, machines, isRunning);
    await made;
    return () => untilAll(client, Node as Kind, machines, isMarked);
  });
  const [load = 0] = loadavg();
  const beforeRest = await requestsOfManager(world);
  await setTimeout(REST_MS);
  const rest = (await requestsOfManager(world)).length - beforeRest.length;
  const deleted = await costOf(world, running, machines, async () => {
    const gone = untilNone(client, Machine as Kind);
    await sideBySide(names, (name) =>
      client.delete(Machine as Kind, { namespace: "default", name }, { uid: uids.get(name) ?? "" }),
    );
    await gone;
    return async () => undefined;
  });
  const { peakMiB } = await running.usage();
  return {
    ...{ manager, machines, clusters, created: created.cost, deleted: deleted.cost, peakMiB },
    requestsPerClusterMinute: round(rest / clusters),
    load: round(load, 1),
    requestsByVerb: countBy(
      [...created.requests, ...deleted.requests],
      ({ verb, resource, subresource }) =>
        `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`,
    ),
  };
}

/** Seconds until `work` ends; all other figures include what it says is to follow, and 5 s in which nothing happens. */
async function costOf(
  world: World,
  manager: Manager,
  machines: number,
  work: () => Promise<() => Promise<unknown>>,
): Promise<{ readonly cost: Cost; readonly requests: readonly AuditedRequest[] }> {
  const asked = await requestsOfManager(world);
  const before = await manager.usage();
  const startedAt = performance.now();
  const follow = await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  await follow();
  await setTimeout(SETTLE_MS);
  const after = await manager.usage();
  const all = (await requestsOfManager(world)).slice(asked.length);
  const requests = all.filter(({ resource }) => resource !== "events");
  return {
    requests,
    cost: {
      seconds: round(seconds),
      requestsEach: round(requests.length / machines),
      writesEach: round(requests.filter(({ verb }) => !READS.has(verb)).length / machines),
      eventsEach: round((all.length - requests.length) / machines),
      cpuMsEach: round(((after.cpuSeconds - before.cpuSeconds) * 1_000) / machines, 1),
    },
  };
}

/** Neither the bench, nor what belongs to the server, nor kubectl; watches and elections are left out. */
async function requestsOfManager({ auditLog }: World): Promise<readonly AuditedRequest[]> {
  if (auditLog === undefined) {
    throw new Error("bench machines needs a real API server; see KUBEBUILDER_ASSETS in README.md");
  }
  const others = new RegExp(`^(kube-|kubectl|garbage|etcd|capstan/\\S+ (${SETUP}|up)$)`);
  return (await readAuditLog(auditLog)).filter(
    ({ userAgent, verb, resource }) => !others.test(userAgent) && verb !== "watch" && resource !== "leases",
  );
}

function isRunning(machine: KubeObject): boolean {
  return valueAt(machine, "status.phase") === "Running";
}

function isMarked(node: KubeObject): boolean {
  return valueAt(node, "metadata.annotations[cluster.x-k8s.io/machine]") !== undefined;
}

const COST_HEADER = ["SECONDS", "REQUESTS", "WRITES", "EVENTS", "CPU ms"];
const HEADER = [
  ...["MANAGER", "MACHINES", "CLUSTERS"],
  ...COST_HEADER.map((cell) => `+ ${cell}`),
  ...COST_HEADER.map((cell) => `- ${cell}`),
  ...["PEAK MiB", "REST/MIN", "LOAD"],
];

function cellsOf(row: Row): readonly string[] {
  const { manager, machines, clusters, created, deleted, peakMiB, requestsPerClusterMinute, load } = row;
  const costs = [...Object.values(created), ...Object.values(deleted)];
  return [manager, machines, clusters, ...costs, peakMiB, requestsPerClusterMinute, load].map(String);
}
