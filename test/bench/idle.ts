import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { GROUPS } from "../../shared/function/groups.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { startWorld, usageOf } from "./capstan-process.ts";
import { startPart } from "./part-process.ts";
import { prepareMachineClusters } from "./ready-machines.ts";
import { writeResults } from "./results.ts";
import { untilConnected } from "./until.ts";

const CLUSTERS = Array.from({ length: 10 }, (_, at) => `c${at}`);
const REST_S = 60;
const DAY_S = 24 * 60 * 60;

interface Row {
  readonly what: string;
  readonly mib: number;
  /** Memory-seconds of a day at rest, in millions of MiB·s. */
  readonly ofDay: number;
}

/** Memory of what serves ten ready Clusters of which nothing changes, over a day. */
export async function idleBench(): Promise<void> {
  const rows = [...(await restsOfCapstan()), ...(await restOfManager())];
  const cells = rows.map(({ what, mib, ofDay }) => [what, String(mib), String(ofDay)]);
  console.log(formatTable(["AT REST", "MiB", "10^6 MiB·s A DAY"], cells));
  await writeResults("idle", rows);
}

async function restsOfCapstan(): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack();
  const { client, kubeconfig, kubeconfigFile } = stack.use(await startWorld());
  await installCrds(client, systemClock);
  const redis = stack.use(await startRedis());
  const reach = ["--kubeconfig", kubeconfigFile, "--queue", redis.url];
  const relay = stack.use(await startPart("relay", ...reach));
  const workers = await Promise.all(
    GROUPS.map((group) => startPart("worker", ...reach, "--functions", group)),
  );
  await prepareMachineClusters(client, CLUSTERS, kubeconfig);
  await untilConnected(client, CLUSTERS.length);
  const kept = [relay.pid, redis.pid];
  const served = await rest("Capstan: relay, Redis, a worker of each group", [
    ...kept,
    ...workers.map(({ pid }) => pid),
  ]);
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
  return [await rest("Capstan: relay, Redis, workers at 0", kept), served];
}

async function restOfManager(): Promise<readonly Row[]> {
  const missing = clusterApiMissing();
  if (missing !== undefined) {
    console.log(`without Cluster API's manager: ${missing}`);
    return [];
  }
  await using world = await startWorld();
  await using manager = await startClusterApi(world.kubeconfigFile);
  await prepareMachineClusters(world.client, CLUSTERS, world.kubeconfig);
  await untilConnected(world.client, CLUSTERS.length);
  return [await rest("Cluster API's core manager", [manager.pid])];
}

/** The mean of the second half of a minute. */
async function rest(what: string, pids: readonly number[]): Promise<Row> {
  await setTimeout((REST_S / 2) * 1_000);
  let sum = 0;
  for (let second = 0; second < REST_S / 2; second += 1) {
    await setTimeout(1_000);
    for (const pid of pids) sum += (await usageOf(pid)).residentMiB;
  }
  const mib = Math.round(sum / (REST_S / 2));
  return { what, mib, ofDay: Math.round((mib * DAY_S) / 1e5) / 10 };
}
