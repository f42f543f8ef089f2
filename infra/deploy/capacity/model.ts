import { alignedTable } from "../../platform/terminal/table.ts";

/** The figures of `npm run bench -- shard` that the model uses. */
interface Shard {
  readonly clusters: number;
  readonly idleMiB: number;
  readonly mibPerConnection: number;
  readonly restCpuMsPerClusterMinute: number;
  readonly heartbeatMicros: number;
  readonly redisCallsPerClusterSecond: number;
  readonly redisRestCpuPercent: number;
  readonly redisBytesPerNode: number;
}

/** The figures of `npm run bench -- scale` that the model uses. */
interface Scale {
  /** The processor time of one worker alone. */
  readonly cpuMsPerRun: number;
  /** The efficiency of four workers, against one. */
  readonly efficiency: number;
  /** The cores of Redis, at 6,500 runs a second. */
  readonly redisCores: number;
}

/** The size of one management cluster: so many workload clusters with so many Nodes each. */
interface Fleet {
  readonly clusters: number;
  readonly nodesPerCluster: number;
}

/** The objects of a Cluster beside its Nodes: itself, its control plane, pools and provider objects. */
const OBJECTS_PER_CLUSTER = 6;
/** A kubelet writes the status of its Node this often when nothing changes. */
const HEARTBEAT_SECONDS = 300;
/** How often a relay reads a kubeconfig that nothing has refused. */
const SECRET_SECONDS = 300;
/** Functions of Cluster API's core that reconcile objects of an idle Cluster, and the period of a resync. */
const RESYNC_KEYS_PER_CLUSTER = 14;
const RESYNC_SECONDS = 600;
/** The limit of a relay's memory in the manifests, and the part of it that connections may fill. */
const RELAY_MIB = 1_024;
const USABLE = 0.85;
/** One that is lost must leave room for its Clusters. */
const LEAST_RELAYS = 2;

/** One line of the model: what is needed, how much, and what it follows from. */
interface Need {
  readonly what: string;
  /** The amount as text with its unit. */
  readonly amount: string;
  readonly from: string;
}

/** Returns what a fleet at rest needs. Pure: the same figures give the same lines. */
export function needsOf(
  fleet: Fleet,
  { shard, scale }: { readonly shard: Shard; readonly scale: Scale },
): readonly Need[] {
  const { clusters, nodesPerCluster } = fleet;
  const nodes = clusters * nodesPerCluster;
  const objects = nodes + clusters * OBJECTS_PER_CLUSTER;
  const runs = (clusters * RESYNC_KEYS_PER_CLUSTER) / RESYNC_SECONDS;
  return [
    {
      what: "Relays with `--workloads` of 1 GiB, one of them spare",
      amount: String(relaysFor(clusters, shard)),
      from: `${shard.mibPerConnection} MiB for each connection, ${shard.idleMiB} MiB for a process`,
    },
    {
      what: "CPU of these relays: connections at rest",
      amount: cores((clusters * shard.restCpuMsPerClusterMinute) / 60_000),
      from: `${shard.restCpuMsPerClusterMinute} ms for a Cluster and minute`,
    },
    {
      what: "CPU of these relays: heartbeats of Nodes",
      amount: cores(((nodes / HEARTBEAT_SECONDS) * shard.heartbeatMicros) / 1_000_000),
      from: `${count(nodes / HEARTBEAT_SECONDS)} a second, ${shard.heartbeatMicros} µs each`,
    },
    {
      what: "Memory of Redis",
      amount: `${count((objects * shard.redisBytesPerNode) / 2 ** 20)} MiB`,
      from: `${count(objects)} objects, ${shard.redisBytesPerNode} bytes each; on top of it the run history, 15 KiB per Cluster and at most 256 MiB`,
    },
    {
      what: "CPU of Redis: connections at rest",
      amount: cores((clusters * shard.redisRestCpuPercent) / 100 / shard.clusters),
      from: `${shard.redisCallsPerClusterSecond} calls for a Cluster and second`,
    },
    {
      what: "CPU of workers: resync",
      amount: cores((runs * scale.cpuMsPerRun) / 1_000),
      from: `${count(runs)} runs a second, ${scale.cpuMsPerRun} ms each`,
    },
    {
      what: "Reads of kubeconfig Secrets",
      amount: `${count(clusters / SECRET_SECONDS)} a second`,
      from: "each every five minutes",
    },
  ];
}

/** Returns as many relays as hold all connections, and one more: any of them may be lost. */
function relaysFor(clusters: number, { idleMiB, mibPerConnection }: Shard): number {
  const connections = (RELAY_MIB * USABLE - idleMiB) / mibPerConnection;
  return Math.max(LEAST_RELAYS, Math.ceil(clusters / connections) + 1);
}

function cores(value: number): string {
  return `${value.toFixed(2)} core`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Figures of a bench, with the run that they come from. */
interface Measured<Figures> extends Run {
  readonly figures: Figures;
}

interface Run {
  readonly bench: string;
  readonly day: string;
  readonly commit: string;
  readonly machine: string;
}

/** Renewed by hand from `test/bench/results/shard.json` when that bench has run again. */
const SHARD: Measured<Shard> = {
  bench: "shard",
  day: "2026-11-23",
  commit: "f9a99751",
  machine: "2 cores of AMD EPYC",
  figures: {
    clusters: 500,
    idleMiB: 141,
    mibPerConnection: 0.472,
    restCpuMsPerClusterMinute: 2.76,
    heartbeatMicros: 152,
    redisCallsPerClusterSecond: 2.62,
    redisRestCpuPercent: 1,
    redisBytesPerNode: 1567,
  },
};

/** Renewed by hand from `test/bench/results/scale.json`. */
const SCALE: Measured<Scale> = {
  bench: "scale",
  day: "2026-11-28",
  commit: "7871b672",
  machine: "2 cores of AMD EPYC",
  figures: { cpuMsPerRun: 0.284, efficiency: 0.88, redisCores: 0.48 },
};

const NODES_PER_CLUSTER = 20;
const FLEETS: readonly Fleet[] = [100, 1_000, 10_000].map((clusters) => ({
  clusters,
  nodesPerCluster: NODES_PER_CLUSTER,
}));

/** Returns the capacity model as Markdown, from the figures of the benches. */
export function capacityPage(): string {
  const columns = FLEETS.map((fleet) => needsOf(fleet, { shard: SHARD.figures, scale: SCALE.figures }));
  const header = FLEETS.map(({ clusters }) => `${clusters.toLocaleString("en-US")} Clusters`);
  const last = columns.at(-1) ?? [];
  const needs = last.map(({ what }, row) => [what, ...columns.map((needed) => needed[row]?.amount ?? "")]);
  const { efficiency, redisCores } = SCALE.figures;
  return [
    alignedTable(["Needed at rest", ...header], needs),
    `For ${header.at(-1)} of ${NODES_PER_CLUSTER} Nodes these follow from:`,
    alignedTable(
      ["Needed", "From"],
      last.map(({ what, from }) => [what, from]),
    ),
    `Four workers run ${efficiency} of four times what one runs. At 6,500 runs a second Redis uses ${redisCores} core.`,
    `Measured: ${sourceOf(SHARD)}; ${sourceOf(SCALE)}.`,
  ].join("\n\n");
}

function sourceOf({ bench, day, commit, machine }: Measured<unknown>): string {
  return `\`npm run bench -- ${bench}\` on ${day} at ${commit}, ${machine}`;
}
