import { MANAGEMENT } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/runtime/path.ts";
import { compose } from "../cli/compose.ts";
import { formatTable } from "../cli/table.ts";
import { readEnvironment } from "../config.ts";
import { createServer } from "../kube/client.ts";
import { loadKubeconfig } from "../kube/kubeconfig.ts";
import { readAuditLog } from "./audit-log.ts";
import { createPool, prepareCluster, preparePool, until } from "./ready-pools.ts";
import { realServerMissing, startRealServer } from "./real-server.ts";
import { writeResults } from "./results.ts";

const COUNTS = [1, 50, 200];
const REPLICAS = 3;
const REST_MS = 15_000;
const SETUP = "bench";
const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const POOLS = { cluster: MANAGEMENT, group: "cluster.x-k8s.io", kind: "MachinePool" };

interface Row {
  readonly pools: number;
  /** From the first creation until every pool is Running. */
  readonly seconds: number;
  /** Writes of the machinepool functions per pool, Events not counted. */
  readonly requestsPerPool: number;
  readonly eventsPerPool: number;
  readonly cpuSecondsPerPool: number;
  readonly residentMiB: number;
  /** Writes of all functions while nothing happens. */
  readonly writesAtRest: number;
  readonly byFunction: { readonly [functionAndVerb: string]: number };
}

/**
 * Pools of three whose providers are ready at creation, on a real kube-apiserver: requests per pool from its audit
 * log, time to Running, CPU, memory, and writes at rest. Goals: decisions.md 13.
 */
export async function machinepoolBench(): Promise<void> {
  const assets = readEnvironment().KUBEBUILDER_ASSETS;
  const missing = realServerMissing(assets);
  if (missing !== undefined || assets === undefined)
    throw new Error(`bench machinepool needs a real API server: ${missing}`);
  const rows: Row[] = [];
  for (const pools of COUNTS) rows.push(await measure(assets, pools));
  const header = [
    "POOLS",
    "SECONDS",
    "REQUESTS/POOL",
    "EVENTS/POOL",
    "CPU s/POOL",
    "RSS MiB",
    "WRITES AT REST",
  ];
  console.log(
    formatTable(
      header,
      rows.map((row) =>
        [
          row.pools,
          row.seconds,
          row.requestsPerPool,
          row.eventsPerPool,
          row.cpuSecondsPerPool,
          row.residentMiB,
          row.writesAtRest,
        ].map(String),
      ),
    ),
  );
  for (const { pools, byFunction } of rows) console.log(`${pools} pools:`, byFunction);
  await writeResults("machinepool", rows);
}

async function measure(assets: string, pools: number): Promise<Row> {
  await using real = await startRealServer(assets);
  await using running = await compose({
    roles: new Set(["relay", "worker"]),
    kubeconfig: real.kubeconfigFile,
    queue: "memory",
    installCrds: true,
    functions: ["cluster-*", "machinepool-*"],
    port: 0,
    writeKubeconfig: "",
    logLevel: "error",
  });
  // A connection of its own: what prepares the world must not use up Capstan's rate limit.
  const access = await loadKubeconfig({ file: real.kubeconfigFile, env: {} });
  using setup = createServer(access, {
    clock: running.clock,
    rate: { requestsPerSecond: 10_000, burst: 10_000 },
  });
  const client = setup.as(SETUP);
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  await prepareCluster(client, real.kubeconfig);
  await sideBySide(names, (name) => preparePool(client, name, REPLICAS));
  await until(
    async () => (await running.store.progress({ cluster: "default/bench", group: "", kind: "Node" })).ready,
  );

  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await sideBySide(names, (name) => createPool(client, name, REPLICAS));
  await until(async () => {
    const stored = await running.store.list(POOLS, {});
    return stored.filter((pool) => valueAt(pool, "status.phase") === "Running").length === pools;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const residentMiB = Math.round(process.memoryUsage().rss / 2 ** 20);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const settled = await writesOf(real.auditLog);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const rested = await writesOf(real.auditLog);

  const ofPools = settled.filter(({ by }) => by.startsWith("machinepool-"));
  const events = ofPools.filter(({ resource }) => resource === "events").length;
  return {
    pools,
    seconds: round(seconds),
    requestsPerPool: round((ofPools.length - events) / pools),
    eventsPerPool: round(events / pools),
    cpuSecondsPerPool: round((user + system) / 1e6 / pools),
    residentMiB,
    writesAtRest: rested.length - settled.length,
    byFunction: countBy(ofPools, ({ by, verb, resource }) => `${by} ${verb} ${resource}`),
  };
}

interface Write {
  readonly by: string;
  readonly verb: string;
  readonly resource: string;
}

/** Writes of Capstan's functions in the audit log; what prepared the world is left out. */
async function writesOf(auditLog: string): Promise<readonly Write[]> {
  return (await readAuditLog(auditLog)).flatMap(({ verb, resource, subresource, userAgent }) => {
    const by = /^capstan\/\S+ (\S+)$/.exec(userAgent)?.[1];
    if (by === undefined || by === SETUP || by === "up" || !WRITES.has(verb)) return [];
    return [{ by, verb, resource: subresource === undefined ? resource : `${resource}/${subresource}` }];
  });
}

function countBy<T>(values: readonly T[], textOf: (value: T) => string): { [text: string]: number } {
  const counts: { [text: string]: number } = {};
  for (const value of values) counts[textOf(value)] = (counts[textOf(value)] ?? 0) + 1;
  return counts;
}

async function sideBySide(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  const queue = [...names];
  const lane = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
