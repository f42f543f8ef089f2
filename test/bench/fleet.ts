import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { valueAt } from "../../shared/api/path.ts";
import { GROUPS } from "../../shared/function/groups.ts";
import { type RedisServer, startRedis } from "../support/processes/redis-server.ts";
import { round, startWorld, type Usage, usageOf, type World } from "./capstan-process.ts";
import { READS, requestsOfManager } from "./machine-managers.ts";
import { type PartProcess, startPart, sumOver } from "./part-process.ts";
import { createDeployment, prepareMachineClusters, startProvider } from "./ready-machines.ts";
import { createCluster, createPool, prepareProvider, sideBySide } from "./ready-pools.ts";
import { redisCost } from "./redis-cost.ts";
import { writeResults } from "./results.ts";
import { progress } from "./rounds.ts";
import { isRunning, untilAll, untilConnected, untilNone } from "./until.ts";
import { poolsOf, startWorkloadServers, type WorkloadServers } from "./workload-servers.ts";

const SIZES = [10, 100];
const POOL = 3;
const MACHINES = 2;
const [FROM, TO] = ["v1.34.2", "v1.34.3"];
/** Of the Machines of all Clusters, whose Nodes fail and recover. */
const FAILING = 0.01;
const REST_MS = 60_000;
/** Nothing has run for so long: the fleet has converged. */
const QUIET_MS = 5_000;
/** Nodes of the Cluster that flaps every second, and how often. */
const [FLAPPING, FLAPS] = [1_000, 30];
/** A deployment, and its Machines, of which the provider says nothing. */
const [SILENT, UNANSWERED] = ["silent", 100];

/** A fleet and what serves it: relays, workers and Redis in processes of their own, as they are deployed. */
interface Fleet extends AsyncDisposable {
  readonly clusters: readonly string[];
  readonly world: World;
  readonly redis: RedisServer;
  readonly workloads: WorkloadServers;
  /** They share the workload servers. */
  readonly relays: PartProcess[];
  /** The relay of the management server. */
  readonly leader: PartProcess;
  /** One of each group of functions. */
  readonly workers: PartProcess[];
  readonly startRelay: () => Promise<PartProcess>;
  readonly startWorker: (group: string) => Promise<PartProcess>;
}

/** One phase. CPU, requests and calls are per Cluster; memory is that at its end. */
interface Row {
  readonly clusters: number;
  readonly phase: string;
  readonly seconds: number;
  readonly relayCpuMs: number;
  readonly workerCpuMs: number;
  readonly redisCpuMs: number;
  readonly serverCpuMs: number;
  readonly relayMiB: number;
  readonly workerMiB: number;
  readonly redisMiB: number;
  readonly reads: number;
  readonly writes: number;
  readonly redisCalls: number;
  /** From the change of a Node to the status that says it, in ms; empty where no Node changes. */
  readonly p50: string;
  readonly p99: string;
}

type Waits = readonly number[];

/** Plays a phase. Returns how long events have waited for their writes, in ms. */
type Phase = (fleet: Fleet) => Promise<Waits>;

/**
 * Clusters with a pool of 3 and a MachineDeployment of 2 each, every one with a workload API server and a kubeconfig of its
 * own: the phases of their life, one after the other. Numbers of Clusters as arguments.
 */
export async function fleetBench(): Promise<void> {
  const wanted = process.argv.slice(3).map(Number);
  const rows: Row[] = [];
  for (const clusters of wanted.length > 0 ? wanted : SIZES) {
    await using fleet = await startFleet(clusters);
    for (const [phase, play] of Object.entries(PHASES)) {
      rows.push(await measure(fleet, phase, play));
      console.log(JSON.stringify(rows.at(-1)));
    }
  }
  const [first] = rows;
  console.log(
    formatTable(
      Object.keys(first ?? {}),
      rows.map((row) => Object.values(row).map(String)),
    ),
  );
  await writeResults("fleet", rows);
}

async function startFleet(count: number): Promise<Fleet> {
  await using starting = new AsyncDisposableStack();
  const world = starting.use(await startWorld());
  const redis = starting.use(await startRedis());
  const workloads = starting.use(await startWorkloadServers(count, 1, POOL, { tls: true }));
  await installCrds(world.client, systemClock);
  await prepareMachineClusters(world.client, [], world.kubeconfig);
  const reach = ["--kubeconfig", world.kubeconfigFile, "--queue", redis.url];
  const startRelay = () => startPart("relay", ...reach, "--workloads");
  const startWorker = (group: string) => startPart("worker", ...reach, "--functions", group);
  const leader = starting.use(await startPart("relay", ...reach, "--leader-elect", "--no-workloads"));
  const relays: PartProcess[] = [];
  const workers: PartProcess[] = [];
  starting.defer(async () => {
    await Promise.all([...relays, ...workers].map((part) => part[Symbol.asyncDispose]()));
  });
  relays.push(await startRelay(), await startRelay());
  for (const group of GROUPS) workers.push(await startWorker(group));
  starting.use(
    startProvider(world.client, {
      hasConfigs: false,
      answers: (object) => !isUnanswered(object),
      join: ({ metadata }) =>
        workloads.order({ do: "join", server: serverOf(metadata), node: metadata.name }),
    }),
  );
  const clusters = Array.from({ length: count }, (_, at) => `c${at}`);
  const running = starting.move();
  const parts = { clusters, world, redis, workloads, relays, leader, workers, startRelay, startWorker };
  return { ...parts, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function serverOf({ labels = {} }: KubeObject["metadata"]): number {
  return Number(labels["cluster.x-k8s.io/cluster-name"]?.slice(1));
}

const PHASES: { readonly [name: string]: Phase } = {
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
  "at rest": async () => {
    await setTimeout(REST_MS);
    return [];
  },
  "1 % of Nodes fail": async ({ workloads, world: { client }, clusters }) => {
    const machines = await someMachines(client, failingOf(clusters));
    const beats = workloads.order({ do: "beat", spreadMs: REST_MS / 2 });
    const [waits] = await Promise.all([failing(client, workloads, machines), beats]);
    return waits;
  },
  "beside a flapping Cluster and a silent provider": async ({ workloads, world: { client }, clusters }) => {
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
  "new version": async ({ world: { client }, clusters }) => {
    await sideBySide(clusters, (_, at) =>
      client.jsonPatch(MachineDeployment as Kind, { namespace: "default", name: `md-${at}` }, [
        { op: "replace", path: "/spec/template/spec/version", value: TO },
      ]),
    );
    await untilRolledOut(client, clusters.length, TO);
    return [];
  },
  "relay killed": async ({ relays, startRelay, clusters }) => {
    await relays.shift()?.kill();
    await untilConnectedBy(relays, clusters.length);
    relays.push(await startRelay());
    return [];
  },
  "Redis emptied": async ({ redis, world: { client }, workloads }) => {
    const machines = await someMachines(client, 1);
    await redis.restart();
    return failing(client, workloads, machines);
  },
  "workers rolled": async ({ workers, startWorker }) => {
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

function isUnanswered({ metadata }: KubeObject): boolean {
  return metadata.name.startsWith(SILENT);
}

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

async function untilConnectedBy(relays: readonly PartProcess[], clusters: number): Promise<void> {
  while ((await sumOver(relays, "capstan_relay_connections", 'state="connected"')) < clusters)
    await setTimeout(200);
}

/** Plays a phase; its costs are those until nothing runs any longer. */
async function measure(fleet: Fleet, phase: string, play: Phase): Promise<Row> {
  progress(`${fleet.clusters.length} Clusters: ${phase}`);
  const before = await costOf(fleet);
  const startedAt = performance.now();
  const waits = (await play(fleet)).toSorted((a, b) => a - b);
  const seconds = round((performance.now() - startedAt) / 1_000, 1);
  if (phase !== "at rest") await untilQuiet(fleet);
  const after = await costOf(fleet);
  const each = (sum: number) => round(sum / fleet.clusters.length, 1);
  const cpuMs = (kind: "relays" | "workers" | "redis" | "server") =>
    each(cpuBetween(before[kind], after[kind]) * 1_000);
  const isSameRedis = [...after.redis.keys()].every((pid) => before.redis.has(pid));
  const at = (share: number) => String(waits[Math.ceil(share * waits.length) - 1] ?? "");
  return {
    clusters: fleet.clusters.length,
    phase,
    seconds,
    relayCpuMs: cpuMs("relays"),
    workerCpuMs: cpuMs("workers"),
    redisCpuMs: cpuMs("redis"),
    serverCpuMs: cpuMs("server"),
    relayMiB: residentOf(after.relays),
    workerMiB: residentOf(after.workers),
    redisMiB: residentOf(after.redis),
    reads: each(after.reads - before.reads),
    writes: each(after.writes - before.writes),
    redisCalls: each(after.calls - (isSameRedis ? before.calls : 0)),
    p50: at(0.5),
    p99: at(0.99),
  };
}

interface Cost {
  readonly relays: Used;
  readonly workers: Used;
  readonly redis: Used;
  /** API server, etcd and garbage collector. */
  readonly server: Used;
  readonly reads: number;
  readonly writes: number;
  /** Of the Redis server with the pid of `redis`. */
  readonly calls: number;
}

/** By process: one that a phase ends takes along what it has used in that phase. */
type Used = ReadonlyMap<number, Usage>;

async function costOf({ leader, relays, workers, redis, world }: Fleet): Promise<Cost> {
  const used = async (pids: readonly number[]): Promise<Used> =>
    new Map(await Promise.all(pids.map(async (pid) => [pid, await usageOf(pid)] as const)));
  const requests = await requestsOfManager(world);
  const reads = requests.filter(({ verb }) => READS.has(verb)).length;
  return {
    relays: await used([leader, ...relays].map(({ pid }) => pid)),
    workers: await used(workers.map(({ pid }) => pid)),
    redis: await used([redis.pid]),
    server: await used(world.pids),
    reads,
    writes: requests.length - reads,
    calls: (await redisCost(redis.url)).calls,
  };
}

function cpuBetween(before: Used, after: Used): number {
  return [...after].reduce(
    (sum, [pid, { cpuSeconds }]) => sum + cpuSeconds - (before.get(pid)?.cpuSeconds ?? 0),
    0,
  );
}

function residentOf(used: Used): number {
  return Math.round([...used.values()].reduce((sum, { residentMiB }) => sum + residentMiB, 0));
}

/** Resolves once no function has run for a while. */
async function untilQuiet({ workers }: Fleet): Promise<void> {
  const runs = () => sumOver(workers, "controller_runtime_reconcile_total");
  for (let before = -1, now = await runs(); now !== before; now = await runs()) {
    before = now;
    await setTimeout(QUIET_MS);
  }
}
