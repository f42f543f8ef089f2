import { setTimeout } from "node:timers/promises";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { valueAt } from "../../shared/api/path.ts";
import { GROUPS } from "../../shared/function/groups.ts";
import type { World } from "./capstan-process.ts";
import { type Fleet, isUnanswered, POOL, SILENT, serverOf, untilConnectedBy } from "./fleet-servers.ts";
import { createDeployment } from "./ready-machines.ts";
import { createCluster, createPool, prepareProvider, sideBySide } from "./ready-pools.ts";
import { isRunning, untilAll, untilConnected, untilNone } from "./until.ts";
import { poolsOf, type WorkloadServers } from "./workload-servers.ts";

const MACHINES = 2;
const [FROM, TO] = ["v1.34.2", "v1.34.3"];
/** Of the Machines of all Clusters, whose Nodes fail and recover. */
const FAILING = 0.01;
const REST_MS = 10 * 60_000;
/** In this time every Node sends a heartbeat. */
const BEATS_MS = 30_000;
/** Nodes of the Cluster that flaps every second, and how often. */
const [FLAPPING, FLAPS] = [1_000, 30];
/** Machines of the provider that says nothing. */
const UNANSWERED = 100;

/** Times from the change of a Node to the status that says it, in ms. */
export type Waits = readonly number[];

/** Plays a phase. */
export type Phase = (fleet: Fleet) => Promise<Waits>;

/** The life of a fleet, in order. */
export const PHASES: { readonly [name: string]: Phase } = {
  created: async ({ clusters, world: { client }, workloads }) => {
    await sideBySide(clusters, async (name, at) => {
      await createCluster(client, name, workloads.kubeconfigs[at] ?? "");
      const [pool = ""] = poolsOf(at, 1);
      await prepareProvider(client, pool, POOL);
      await createPool(client, pool, POOL, name);
      await createDeployment(client, `md-${at}`, name, { machines: MACHINES, maxSurge: 1 });
    });
    await untilConnected(client, clusters.length);
    await untilAll(client, MachinePool as Kind, clusters.length, isRunning(POOL));
    await untilRolledOut(client, clusters.length, FROM);
    return [];
  },
  /** Nothing changes. */
  rest: async () => {
    await setTimeout(REST_MS);
    return [];
  },
  /** 1 % of the Nodes fail and recover beside the heartbeats of all. */
  failing: async ({ workloads, world: { client }, clusters }) => {
    const machines = await someMachines(client, failingOf(clusters));
    const beats = workloads.order({ do: "beat", spreadMs: BEATS_MS });
    const [waits] = await Promise.all([failing(client, workloads, machines), beats]);
    return waits;
  },
  /** The same beside a Cluster whose Nodes flap every second and a provider that answers nothing. */
  flapping: async ({ workloads, world: { client }, clusters }) => {
    const [noisy = "", silent = noisy] = clusters;
    await createDeployment(client, SILENT, silent, { machines: UNANSWERED, maxSurge: 1 });
    const isMade = (set: KubeObject) => isUnanswered(set) && valueAt(set, "status.replicas") === UNANSWERED;
    await untilAll(client, MachineSet as Kind, 1, isMade);
    const flapping = Array.from({ length: FLAPPING }, (_, at) => `flapping-${at}`);
    for (const node of flapping) await workloads.order({ do: "join", server: 0, node });
    const flap = async (): Promise<void> => {
      for (let count = 0; count < FLAPS; count += 1) {
        const said = { server: 0, nodes: flapping, isReady: count % 2 === 1 };
        await Promise.all([workloads.order({ do: "say", ...said }), setTimeout(1_000)]);
      }
    };
    const others = await someMachines(client, failingOf(clusters), [noisy, silent]);
    const [waits] = await Promise.all([failing(client, workloads, others), flap()]);
    return waits;
  },
  /** A new version for all. */
  version: async ({ world: { client }, clusters }) => {
    await sideBySide(clusters, (_, at) =>
      client.jsonPatch(MachineDeployment as Kind, { namespace: "default", name: `md-${at}` }, [
        { op: "replace", path: "/spec/template/spec/version", value: TO },
      ]),
    );
    await untilRolledOut(client, clusters.length, TO);
    return [];
  },
  "relay-killed": async ({ relays, startRelay, clusters }) => {
    await relays.shift()?.kill();
    await untilConnectedBy(relays, clusters.length);
    relays.push(await startRelay());
    return [];
  },
  "redis-emptied": async ({ redis, world: { client }, workloads }) => {
    const machines = await someMachines(client, 1);
    await redis.restart();
    return failing(client, workloads, machines);
  },
  "workers-rolled": async ({ workers, startWorker }) => {
    for (const group of GROUPS) {
      const next = await startWorker(group);
      await workers.shift()?.[Symbol.asyncDispose]();
      workers.push(next);
    }
    return [];
  },
  deleted: async ({ world: { client } }) => {
    const { items } = await client.list(Cluster as Kind, {});
    await sideBySide(items, ({ metadata: { name, uid = "" } }) =>
      client.delete(Cluster as Kind, { namespace: "default", name }, { uid }),
    );
    await untilNone(client, Cluster as Kind);
    return [];
  },
};

function failingOf(clusters: readonly string[]): number {
  return Math.ceil(clusters.length * MACHINES * FAILING);
}

/** The Nodes of Machines fail and recover. Returns the ms until each of the two stood in the status of the Machine. */
async function failing(
  client: World["client"],
  workloads: WorkloadServers,
  machines: readonly Machine[],
): Promise<Waits> {
  const waits: number[] = [];
  for (const isReady of [false, true]) {
    const saidAt = new Map<string, number>();
    const wanted = isReady ? "True" : "False";
    const listed = Promise.withResolvers<void>();
    const seen = untilAll(client, Machine as Kind, machines.length, (machine) => {
      listed.resolve();
      const said = valueAt(machine, "status.conditions[NodeReady].status");
      return saidAt.has(machine.metadata.name) && said === wanted;
    });
    // The list of all Machines takes seconds, and says nothing of the time before it.
    await listed.promise;
    for (const { metadata } of machines) {
      saidAt.set(metadata.name, Date.now());
      await workloads.order({ do: "say", server: serverOf(metadata), nodes: [metadata.name], isReady });
    }
    for (const [name, at] of await seen) waits.push(Math.max(0, at - (saidAt.get(name) ?? at)));
  }
  return waits;
}

/** Returns Machines of a deployment, each of another Cluster as far as there are so many. */
async function someMachines(
  client: World["client"],
  count: number,
  but: readonly string[] = [],
): Promise<readonly Machine[]> {
  const { items } = await client.list(Machine as Kind, {});
  const own = (items as readonly Machine[]).filter(({ spec }) => !but.includes(spec.clusterName));
  const byCluster = Map.groupBy(own, ({ spec }) => spec.clusterName);
  return [0, 1].flatMap((at) => [...byCluster.values()].flatMap((all) => all[at] ?? [])).slice(0, count);
}

/** Once the sets of this version have all Machines. */
async function untilRolledOut(client: World["client"], count: number, version: string): Promise<void> {
  await untilAll(client, MachineSet as Kind, count, (object) => {
    const { spec, status } = object as MachineSet;
    return spec.template.spec.version === version && status?.availableReplicas === MACHINES;
  });
}
