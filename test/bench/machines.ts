import { setTimeout } from "node:timers/promises";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { round, type World } from "./capstan-process.ts";
import { countBy } from "./function-requests.ts";
import { kubeconfigsCost } from "./kubeconfigs-cost.ts";
import {
  availableManagers,
  costOf,
  type MachineCost,
  type ManagerName,
  requestsOfManager,
  requestText,
  startManaged,
} from "./machine-managers.ts";
import { type Costs, sharesOf } from "./machine-shares.ts";
import {
  addPods,
  createMachine,
  createSet,
  isMachineRunning,
  isNodeMarked,
  prepareMachine,
  startProvider,
  untilNoPods,
} from "./ready-machines.ts";
import { sideBySide } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { inTurn, loadNow, progress } from "./rounds.ts";
import { formatShares } from "./shares.ts";
import { untilAll, untilNone } from "./until.ts";

const COUNTS = [1, 10, 100, 200, 1_000];
const SET_OF = 50;
const PODS = 100;
/** Of one minute, and only for this load: the whole bench is to end within 25 minutes. */
const REST_MS = 60_000;
const REST_AT = { machines: 1_000, clusters: 1 };
const KEY = { namespace: "default", name: "drained" };

interface Row extends Costs {
  readonly load: number;
  readonly requestsByVerb: { readonly [verbAndResource: string]: number };
}

/**
 * Stand-alone Machines whose providers are ready at creation, on a real kube-apiserver that is their workload server,
 * too: first until they are Running, then until they are deleted; a MachineSet of 50; a Node with 100 Pods; 1,000
 * kubeconfigs. Capstan and Cluster API's manager one after the other on servers of their own, their order alternated.
 * Goals: a cost per Machine that does not grow, and the shares of machine-shares.ts.
 */
export async function machinesBench(): Promise<void> {
  const managers = availableManagers();
  const counts = process.argv.slice(3).map(Number);
  const loads = (counts.length > 0 ? counts : COUNTS).map((machines) => ({ machines, clusters: 1 }));
  if (counts.length === 0) loads.push({ machines: 1_000, clusters: 10 });
  const rows: Row[] = [];
  for (const [round, load] of loads.entries()) {
    for (const name of inTurn(managers, round)) {
      progress(`${name}: ${load.machines} Machines in ${load.clusters} Clusters`);
      rows.push(await measure(name, load));
      console.log(formatTable(HEADER, rows.slice(-1).map(cellsOf)));
    }
  }
  progress(`a MachineSet of ${SET_OF}`);
  const sets = await eachOf(inTurn(managers, loads.length), measureSet);
  progress(`a Node with ${PODS} Pods`);
  const drains = await eachOf(inTurn(managers, loads.length + 1), measureDrain);
  progress("kubeconfigs");
  const kubeconfigs = await kubeconfigsCost();
  for (const row of rows) console.log(`${row.manager}, ${row.machines} Machines:`, row.requestsByVerb);
  const shares = sharesOf(rows, sets);
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  console.log(`MachineSet of ${SET_OF}:`, sets);
  console.log(`seconds from the last of ${PODS} Pods to the end of the Machine:`, drains);
  console.log("kubeconfigs, of which 5 CPU seconds are the limit:", kubeconfigs);
  console.log(formatShares(shares));
  if (counts.length === 0) await writeResults("machines", { rows, sets, drains, kubeconfigs, shares });
}

async function eachOf<T>(
  managers: readonly ManagerName[],
  measured: (name: ManagerName) => Promise<T>,
): Promise<{ readonly [Name in ManagerName]?: T }> {
  const found: { [Name in ManagerName]?: T } = {};
  for (const name of managers) found[name] = await measured(name);
  return found;
}

interface SetCost extends MachineCost {
  readonly requestsByVerb: Row["requestsByVerb"];
}

interface Load {
  readonly machines: number;
  readonly clusters: number;
}

async function measure(manager: ManagerName, { machines, clusters }: Load): Promise<Row> {
  const names = Array.from({ length: machines }, (_, index) => `machine-${index}`);
  const clusterNames = Array.from({ length: clusters }, (_, index) => `bench-${index}`);
  await using managed = await startManaged(manager, clusterNames, (to) =>
    sideBySide(names, (name) => prepareMachine(to, name)),
  );
  const { world, usage } = managed;
  const { client } = world;

  const uids = new Map<string, string>();
  const created = await costOf(managed, machines, async () => {
    const made = sideBySide(names, async (name, at) => {
      const { metadata } = await createMachine(client, name, clusterNames[at % clusters] ?? "");
      uids.set(name, metadata.uid ?? "");
    });
    await untilAll(client, Machine as Kind, machines, isMachineRunning);
    await made;
    return () => untilAll(client, Node as Kind, machines, isNodeMarked);
  });
  const load = loadNow();
  const isRestMeasured = machines === REST_AT.machines && clusters === REST_AT.clusters;
  const atRest = isRestMeasured ? await requestsAtRest(world) : undefined;
  const deleted = await costOf(managed, machines, async () => {
    const gone = untilNone(client, Machine as Kind);
    await sideBySide(names, (name) => deleteMachine(client, name, uids.get(name)));
    await gone;
    return undefined;
  });
  const { peakMiB } = await usage();
  return {
    ...{ manager, machines, clusters, created: created.cost, deleted: deleted.cost, peakMiB },
    requestsPerClusterMinute: atRest,
    load,
    requestsByVerb: countBy([...created.requests, ...deleted.requests], requestText),
  };
}

async function requestsAtRest(world: World): Promise<number> {
  const before = await requestsOfManager(world);
  await setTimeout(REST_MS);
  return (await requestsOfManager(world)).length - before.length;
}

/** A set whose provider makes every object ready at once; its Machines are made by the manager. */
async function measureSet(manager: ManagerName): Promise<SetCost> {
  await using managed = await startManaged(manager, ["bench-0"], async () => undefined);
  const { client } = managed.world;
  using _ = startProvider(client);
  const { cost, requests } = await costOf(managed, SET_OF, async () => {
    await createSet(client, "set", "bench-0", SET_OF);
    await untilAll(client, Machine as Kind, SET_OF, isMachineRunning);
    return () => untilAll(client, Node as Kind, SET_OF, isNodeMarked);
  });
  return { ...cost, requestsByVerb: countBy(requests, requestText) };
}

/** Seconds between the end of the last Pod of a drained Node and that of its Machine. */
async function measureDrain(manager: ManagerName): Promise<number> {
  const { name } = KEY;
  await using managed = await startManaged(manager, ["bench-0"], (to) => prepareMachine(to, name));
  const { client } = managed.world;
  const { metadata } = await createMachine(client, name, "bench-0");
  await untilAll(client, Machine as Kind, 1, isMachineRunning);
  await addPods(client, name, PODS);
  await deleteMachine(client, name, metadata.uid);
  await untilNoPods(client);
  const startedAt = performance.now();
  await untilNone(client, Machine as Kind);
  return round((performance.now() - startedAt) / 1_000);
}

function deleteMachine(client: KubeClient, name: string, uid = ""): Promise<unknown> {
  return client.delete(Machine as Kind, { ...KEY, name }, { uid });
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
  return [manager, machines, clusters, ...costs, peakMiB, requestsPerClusterMinute ?? "", load].map(String);
}
