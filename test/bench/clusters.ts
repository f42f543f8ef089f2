import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { round, startCapstan, startWorld } from "./capstan-process.ts";
import { requestsIn } from "./function-requests.ts";
import { CLUSTER_GOALS, formatGoals } from "./goals.ts";
import { createCluster, createPool, prepareProvider, prepareProviders, sideBySide } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { isRunning, untilAll } from "./until.ts";
import { poolsOf, startWorkloadServers } from "./workload-servers.ts";

const CLUSTERS = 200;
const NODES = 50;
const REST_MS = 1_000;
const BEAT_MS = 2_000;

/**
 * 200 Clusters of 50 Nodes with a pool each: relay and functions in one process with the queue in memory. Seconds
 * from the first Cluster until all pools are Running, memory, CPU at rest and of a heartbeat of every Node.
 * Goals: those of goals.ts, 277 MiB, and 2.4 CPU seconds for the heartbeats.
 */
export async function clustersBench(): Promise<void> {
  await using world = await startWorld();
  await using workload = await startWorkloadServers(CLUSTERS, 1, NODES);
  const { client, auditLog } = world;
  await installCrds(client, systemClock);
  await prepareProviders(client);
  const pools = [...workload.kubeconfigs.keys()].flatMap((index) => poolsOf(index, 1));
  await sideBySide(pools, (pool) => prepareProvider(client, pool, NODES));
  await using capstan = await startCapstan(world.kubeconfigFile);
  const idleMiB = (await capstan.usage()).residentMiB;

  const startedAt = performance.now();
  const before = await capstan.usage();
  await Promise.all(
    workload.kubeconfigs.map((kubeconfig, index) => createCluster(client, `c${index}`, kubeconfig)),
  );
  await Promise.all(pools.map((pool, index) => createPool(client, pool, NODES, `c${index}`)));
  await untilAll(client, MachinePool as Kind, CLUSTERS, isRunning(NODES));
  const seconds = (performance.now() - startedAt) / 1_000;
  const [load = 0] = loadavg();
  const up = await capstan.usage();
  const requests = auditLog === undefined ? [] : await requestsIn(auditLog);
  await setTimeout(REST_MS);
  const rest = await capstan.usage();
  const beats = await workload.beat(BEAT_MS);
  await setTimeout(2_000);
  const beaten = await capstan.usage();

  const row = {
    seconds: round(seconds),
    requestsPerPool: round(requests.filter(({ resource }) => resource !== "events").length / CLUSTERS),
    cpuSecondsPerPool: round((up.cpuSeconds - before.cpuSeconds) / CLUSTERS),
    idleMiB,
    residentMiB: up.residentMiB,
    restMiB: rest.residentMiB,
    peakMiB: beaten.peakMiB,
    restCpuPercent: round(((rest.cpuSeconds - up.cpuSeconds) / (REST_MS / 1_000)) * 100),
    beats,
    beatCpuSeconds: round(beaten.cpuSeconds - rest.cpuSeconds),
    load: round(load, 1),
  };
  console.log(formatTable(Object.keys(row), [Object.values(row).map(String)]));
  console.log(`\n${formatGoals(`${CLUSTERS} CLUSTERS`, row, CLUSTER_GOALS)}`);
  await writeResults("clusters", { server: world.name, ...row });
}
