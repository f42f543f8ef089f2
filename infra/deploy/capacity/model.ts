/** The figures of `npm run bench -- shard` that the model uses. */
export interface Shard {
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
export interface Scale {
  /** The processor time of one worker alone. */
  readonly cpuMsPerRun: number;
  /** The efficiency of four workers, against one. */
  readonly efficiency: number;
  /** The cores of Redis, at 6,500 runs a second. */
  readonly redisCores: number;
}

/** The size of one management cluster: so many workload clusters with so many Nodes each. */
export interface Fleet {
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
export interface Need {
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
