import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/runtime/path.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { startApiServer } from "../apiserver/server.ts";
import { installCrds } from "../cli/install-crds.ts";
import { formatTable } from "../cli/table.ts";
import { systemClock } from "../clock.ts";
import { readEnvironment } from "../config.ts";
import { createServer } from "../kube/client.ts";
import { loadKubeconfig } from "../kube/kubeconfig.ts";
import { createCluster, createPool, prepareProvider, prepareProviders, until } from "./ready-pools.ts";
import { realServerMissing, startRealServer } from "./real-server.ts";
import { writeResults } from "./results.ts";
import { startWorkloadServers } from "./workload-servers.ts";

const CLUSTERS = 200;
const NODES = 50;
const REST_MS = 30_000;
const BEAT_MS = 20_000;
const ROOT = new URL("../../", import.meta.url);
/** Of /proc, per second. */
const TICKS = 100;

/**
 * 200 Clusters of 50 Nodes with a pool each: relay and functions in one process with the queue in memory. Seconds
 * from the first Cluster until all pools are Running, memory, CPU at rest and of a heartbeat of every Node.
 * Goals: decisions.md 13 (12 s, 277 MiB, 2.4 CPU s).
 */
export async function clustersBench(): Promise<void> {
  await using world = await startWorld();
  await using workload = await startWorkloadServers(CLUSTERS, NODES);
  const { client } = world;
  await installCrds(client, systemClock);
  await prepareProviders(client);
  const indexes = [...workload.kubeconfigs.keys()];
  await Promise.all(indexes.map((index) => prepareProvider(client, `pool-${index}`, NODES)));
  await using capstan = await startCapstan(world.kubeconfigFile);
  const idleMiB = (await capstan.usage()).residentMiB;

  const startedAt = performance.now();
  const before = await capstan.usage();
  await Promise.all(
    workload.kubeconfigs.map((kubeconfig, index) => createCluster(client, `c${index}`, kubeconfig)),
  );
  await Promise.all(indexes.map((index) => createPool(client, `pool-${index}`, NODES, `c${index}`)));
  await until(async () => (await running(client)) === CLUSTERS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const up = await capstan.usage();
  await setTimeout(REST_MS);
  const rest = await capstan.usage();
  const beats = await workload.beat(BEAT_MS);
  await setTimeout(2_000);
  const beaten = await capstan.usage();

  const row = {
    seconds: round(seconds),
    cpuSecondsPerPool: round((up.cpuSeconds - before.cpuSeconds) / CLUSTERS),
    idleMiB,
    residentMiB: up.residentMiB,
    restMiB: rest.residentMiB,
    peakMiB: beaten.peakMiB,
    restCpuPercent: round(((rest.cpuSeconds - up.cpuSeconds) / (REST_MS / 1_000)) * 100),
    beats,
    beatCpuSeconds: round(beaten.cpuSeconds - rest.cpuSeconds),
  };
  console.log(formatTable(Object.keys(row), [Object.values(row).map(String)]));
  await writeResults("clusters", { server: world.name, ...row });
}

async function running(client: KubeClient): Promise<number> {
  const { items } = await client.list(MachinePool as Kind, {});
  return items.filter(
    (pool) => valueAt(pool, "status.phase") === "Running" && valueAt(pool, "status.readyReplicas") === NODES,
  ).length;
}

/** The management API server: a real one when its binaries are there. */
async function startWorld() {
  const stack = new AsyncDisposableStack();
  const assets = readEnvironment().KUBEBUILDER_ASSETS;
  const dir = await mkdtemp(join(tmpdir(), "capstan-clusters-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  let kubeconfigFile = join(dir, "kubeconfig");
  const isReal = assets !== undefined && realServerMissing(assets) === undefined;
  if (isReal) kubeconfigFile = stack.use(await startRealServer(assets)).kubeconfigFile;
  else {
    const embedded = await startApiServer({ name: "bench" });
    stack.defer(() => embedded.stop());
    await writeFile(kubeconfigFile, embedded.kubeconfig(), { mode: 0o600 });
  }
  const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
  const rate = { requestsPerSecond: 10_000, burst: 10_000 };
  const server = stack.use(createServer(access, { clock: systemClock, rate }));
  return {
    name: isReal ? "kube-apiserver" : "embedded",
    kubeconfigFile,
    client: server.as("bench"),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface Usage {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** `npm run capstan -- up` of this checkout, without npm and without anything that is simulated. */
async function startCapstan(kubeconfigFile: string) {
  const roles = ["--roles", "relay", "worker", "--empty", "--quiet", "--log-level", "error"];
  const functions = ["--functions", "cluster-*", "machinepool-*"];
  const { scripts } = JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"));
  const [, ...command] = String(scripts.capstan).split(" ");
  const args = [...command, "up", "--kubeconfig", kubeconfigFile, ...roles, ...functions];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.stdout.resume();
  return {
    usage: () => usageOf(child),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function usageOf({ pid }: ChildProcess): Promise<Usage> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
  ]);
  const mib = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
  const [utime, stime] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return {
    cpuSeconds: ((utime ?? 0) + (stime ?? 0)) / TICKS,
    residentMiB: mib("VmRSS"),
    peakMiB: mib("VmHWM"),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
