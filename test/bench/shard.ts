import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { type NodeServer, startNodeServer } from "../support/processes/node-server.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { newAuthority } from "../support/tls-files.ts";
import { round, startWorld, usageOf } from "./capstan-process.ts";
import { metricSum, type PartProcess, startPart } from "./part-process.ts";
import { objectOf, sideBySide } from "./ready-pools.ts";
import { redisCost } from "./redis-cost.ts";
import { writeResults } from "./results.ts";
import { progress } from "./rounds.ts";
import { until } from "./until.ts";

/** A trial is smaller; its figures are not kept. */
const IS_TRIAL = process.argv.includes("--trial");
const CLUSTERS = IS_TRIAL ? 60 : 500;
const NODES = 20;
const ROUNDS = IS_TRIAL ? 1 : 3;
const SETTLE_MS = IS_TRIAL ? 3_000 : 15_000;
const REST_MS = IS_TRIAL ? 5_000 : 20_000;
const GOAL = { mibPerConnection: 0.6, servedAgainSeconds: 20 };

/**
 * Relays that share 500 workload clusters of 20 Nodes over TLS: memory of an idle connection beside that of a bare one in
 * the same run, CPU at rest and of a heartbeat of every Node, what Redis holds and is asked, and the time from the loss of
 * one of two relays until every Cluster is watched again.
 */
export async function shardBench(): Promise<void> {
  await using world = await startWorld();
  await using redis = await startRedis();
  const authority = await newAuthority();
  const tls = { ...(await authority.issue("server")), ca: authority.cert };
  await using workloads = await startNodeServer({ nodes: NODES, tls });
  await installCrds(world.client, systemClock);
  const shared = ["--kubeconfig", world.kubeconfigFile, "--queue", redis.url, "--functions", "cluster-api"];
  await using _leader = await startPart("relay", ...shared, "--leader-elect", "--no-workloads");
  const start = () => startPart("relay", ...shared, "--workloads");
  const first = await start();
  const empty = await redisCost(redis.url);
  const idle = await first.usage();
  const names = Array.from({ length: CLUSTERS }, (_, index) => `c${index}`);
  await sideBySide(names, (name) => createCluster(world.client, name, workloads));
  await until(async () => workloads.watches().size === CLUSTERS);
  await setTimeout(SETTLE_MS);
  const connected = await first.usage();
  const bareMiB = await bareMiBPerConnection(workloads, tls.ca);
  progress("connected");

  const filled = await redisCost(redis.url);
  const before = await first.usage();
  await setTimeout(REST_MS);
  const rested = await first.usage();
  const asked = await redisCost(redis.url);
  const beats = workloads.beat();
  await setTimeout(REST_MS);
  const beaten = await first.usage();
  const restCpu = (rested.cpuSeconds - before.cpuSeconds) / (REST_MS / 1_000);
  const beatCpu = beaten.cpuSeconds - rested.cpuSeconds - restCpu * (REST_MS / 1_000);
  const servedAgainSeconds = await lossesOf(first, start, workloads);

  const mibPerConnection = (connected.residentMiB - idle.residentMiB) / CLUSTERS;
  const row = {
    clusters: CLUSTERS,
    nodes: CLUSTERS * NODES,
    idleMiB: idle.residentMiB,
    residentMiB: connected.residentMiB,
    mibPerConnection: round(mibPerConnection),
    ofBareConnections: round(mibPerConnection / bareMiB, 2),
    restCpuMsPerClusterMinute: round((restCpu * 60_000) / CLUSTERS),
    heartbeatMicros: round((beatCpu * 1_000_000) / beats, 1),
    redisCallsPerClusterSecond: round((asked.calls - filled.calls) / (REST_MS / 1_000) / CLUSTERS, 2),
    redisRestCpuPercent: round(((asked.cpuSeconds - filled.cpuSeconds) / (REST_MS / 1_000)) * 100, 1),
    redisBytesPerNode: Math.round((filled.usedBytes - empty.usedBytes) / (CLUSTERS * NODES)),
    servedAgainSeconds,
  };
  console.log(formatTable(Object.keys(row), [Object.values(row).map(String)]));
  console.log(
    [
      `idle connection: ${row.mibPerConnection} MiB (goal ${GOAL.mibPerConnection}), ${row.ofBareConnections} of a bare one`,
      `relay lost: Clusters watched again after ${servedAgainSeconds.join(", ")} s (goal ${GOAL.servedAgainSeconds})`,
    ].join("\n"),
  );
  if (!IS_TRIAL) await writeResults("shard", { server: world.name, ...row, goal: GOAL });
}

async function createCluster(client: KubeClient, name: string, workloads: NodeServer): Promise<void> {
  const data = { value: Buffer.from(workloads.kubeconfigOf(name)).toString("base64") };
  await client.create(Secret, { ...objectOf(Secret, `${name}-kubeconfig`), data });
  const infrastructureRef = { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "NoCluster", name };
  await client.create(Cluster, { ...objectOf(Cluster, name), spec: { infrastructureRef } });
}

/** Seconds from the kill of one of two relays until every Cluster is watched again, round by round. */
async function lossesOf(
  first: PartProcess,
  start: () => Promise<PartProcess>,
  workloads: NodeServer,
): Promise<readonly number[]> {
  const seconds: number[] = [];
  let staying = first;
  while (seconds.length < ROUNDS) {
    const next = await start();
    await until(async () => (await isShared([staying, next])) && isWatchedOnce(workloads));
    const lost = staying;
    staying = next;
    await setTimeout(SETTLE_MS / 3);
    const at = performance.now();
    await lost.kill();
    await until(async () => isWatchedOnce(workloads));
    seconds.push(round((performance.now() - at) / 1_000, 1));
    progress(`one of two relays was lost: ${seconds.at(-1)} s`);
  }
  await staying[Symbol.asyncDispose]();
  return seconds;
}

function isWatchedOnce(workloads: NodeServer): boolean {
  const watches = [...workloads.watches()].filter(([cluster]) => cluster.startsWith("c"));
  return watches.length === CLUSTERS && watches.every(([, count]) => count === 1);
}

/** Each has a third at least. */
async function isShared(relays: readonly PartProcess[]): Promise<boolean> {
  const texts = await Promise.all(relays.map((relay) => relay.metrics()));
  const shares = texts.map((text) => metricSum(text, "capstan_relay_connections", 'state="connected"'));
  return (
    shares.every((share) => share >= CLUSTERS / 3) && shares.reduce((sum, each) => sum + each, 0) === CLUSTERS
  );
}

async function bareMiBPerConnection(workloads: NodeServer, ca: string): Promise<number> {
  const { port } = new URL(/server: (\S+)/.exec(workloads.kubeconfigOf("bare"))?.[1] ?? "");
  const residentOf = async (count: number): Promise<number> => {
    const file = fileURLToPath(new URL("./bare-watches.ts", import.meta.url));
    const child = fork(file, [port, String(count)], { stdio: ["pipe", "inherit", "inherit", "ipc"] });
    child.stdin?.end(ca);
    await once(child, "message");
    await setTimeout(SETTLE_MS / 3);
    const { residentMiB } = await usageOf(child.pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    return residentMiB;
  };
  return ((await residentOf(CLUSTERS)) - (await residentOf(0))) / CLUSTERS;
}
