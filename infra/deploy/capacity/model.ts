/** Figures of the newest benches; undefined where a bench has no committed result. */
export interface Measured {
  readonly shard?: Shard | undefined;
  readonly scale?: Scale | undefined;
}

/** The part of the results of `npm run bench -- shard` that the model uses. */
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

/** The part of the results of `npm run bench -- scale` that the model uses. */
export interface Scale {
  readonly rows: readonly { readonly workers: number; readonly cpuMsPerRun: number }[];
  /** Of four workers, against one. */
  readonly efficiency: number;
  /** At 6,500 runs a second. */
  readonly redis: { readonly cores: number };
}

/** Of one management cluster: so many workload clusters with so many Nodes each. */
export interface Fleet {
  readonly clusters: number;
  readonly nodesPerCluster: number;
}

/** Of a Cluster beside its Nodes: itself, its control plane, pools and provider objects. */
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
  /** As text with its unit; undefined where no bench has measured it. */
  readonly amount: string | undefined;
  readonly from: string;
}

/** Returns what a fleet at rest needs. Pure: the same figures give the same lines. */
export function needsOf(fleet: Fleet, { shard, scale }: Measured): readonly Need[] {
  const { clusters, nodesPerCluster } = fleet;
  const nodes = clusters * nodesPerCluster;
  const objects = nodes + clusters * OBJECTS_PER_CLUSTER;
  const runs = (clusters * RESYNC_KEYS_PER_CLUSTER) / RESYNC_SECONDS;
  const [one] = scale?.rows ?? [];
  return [
    {
      what: "Relays with `--workloads` of 1 GiB, one of them spare",
      amount: shard && String(relaysFor(clusters, shard)),
      from: `${orNot(shard?.mibPerConnection)} MiB for each connection, ${orNot(shard?.idleMiB)} MiB for a process`,
    },
    {
      what: "CPU of these relays: connections at rest",
      amount: shard && cores((clusters * shard.restCpuMsPerClusterMinute) / 60_000),
      from: `${orNot(shard?.restCpuMsPerClusterMinute)} ms for a Cluster and minute`,
    },
    {
      what: "CPU of these relays: heartbeats of Nodes",
      amount: shard && cores(((nodes / HEARTBEAT_SECONDS) * shard.heartbeatMicros) / 1_000_000),
      from: `${count(nodes / HEARTBEAT_SECONDS)} a second, ${orNot(shard?.heartbeatMicros)} µs each`,
    },
    {
      what: "Memory of Redis",
      amount: shard && `${count((objects * shard.redisBytesPerNode) / 2 ** 20)} MiB`,
      from: `${count(objects)} objects, ${orNot(shard?.redisBytesPerNode)} bytes each; on top of it the run history, 15 KiB per Cluster and at most 256 MiB`,
    },
    {
      what: "CPU of Redis: connections at rest",
      amount: shard && cores((clusters * shard.redisRestCpuPercent) / 100 / shard.clusters),
      from: `${orNot(shard?.redisCallsPerClusterSecond)} calls for a Cluster and second`,
    },
    {
      what: "CPU of workers: resync",
      amount: one && cores((runs * one.cpuMsPerRun) / 1_000),
      from: `${count(runs)} runs a second, ${orNot(one?.cpuMsPerRun)} ms each`,
    },
    {
      what: "Reads of kubeconfig Secrets",
      amount: `${count(clusters / SECRET_SECONDS)} a second`,
      from: "each every five minutes",
    },
  ];
}

/** As many as hold all connections, and one more: any of them may be lost. */
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

function orNot(value: number | undefined): string {
  return value === undefined ? "?" : String(value);
}
