import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { Secret } from "../../shared/api/core.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { GROUPS } from "../../shared/function/groups.ts";
import { type RedisServer, startRedis } from "../support/processes/redis-server.ts";
import { startWorld, type World } from "./capstan-process.ts";
import { type PartProcess, startPart, sumOver } from "./part-process.ts";
import { prepareMachineClusters, startProvider } from "./ready-machines.ts";
import { sideBySide } from "./ready-pools.ts";
import { startWorkloadServers, type WorkloadServers } from "./workload-servers.ts";

/** Replicas of the pool that each Cluster has. */
export const POOL = 3;
/** A deployment, of whose Machines the provider says nothing. */
export const SILENT = "silent";
/** Nothing has run for so long: the fleet has converged. */
const QUIET_MS = 5_000;

/** A fleet and what serves it: relays, workers and Redis in processes of their own, as they are deployed. */
export interface Fleet extends AsyncDisposable {
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

/**
 * Starts the servers, and what serves them. They keep their objects in `folder`; one that a saved fleet has left there is
 * brought back, and quiet when this resolves.
 */
export async function startFleet(count: number, folder?: string): Promise<Fleet> {
  await using starting = new AsyncDisposableStack();
  const at = (part: string) => (folder === undefined ? undefined : join(folder, part));
  const isSaved = isSavedFleet(folder);
  const world = starting.use(await startWorld(at("server")));
  const redis = starting.use(await startRedisAt(at("redis")));
  const wanted = { servers: count, pools: 1, nodes: POOL, tls: true, folder: at("workloads") };
  const workloads = starting.use(await startWorkloadServers(wanted));
  if (isSaved) await renewKubeconfigs(world.client, workloads.kubeconfigs);
  else {
    await installCrds(world.client, systemClock);
    await prepareMachineClusters(world.client, [], world.kubeconfig);
  }
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
      answers: (object) => !isUnanswered(object) && valueAt(object, "spec.providerID") === undefined,
      join: ({ metadata }) =>
        workloads.order({ do: "join", server: serverOf(metadata), node: metadata.name }),
    }),
  );
  const clusters = Array.from({ length: count }, (_, index) => `c${index}`);
  const parts = { clusters, world, redis, workloads, relays, leader, workers, startRelay, startWorker };
  if (isSaved) {
    await untilConnectedBy(relays, count);
    await untilQuiet({ workers });
  }
  const running = starting.move();
  return { ...parts, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const DUMP = "dump.rdb";

/** Whether a folder has a whole fleet. */
export function isSavedFleet(folder: string | undefined): folder is string {
  return folder !== undefined && existsSync(join(folder, "redis", DUMP));
}

/** It begins with what it has saved, and is empty when it starts once more. */
async function startRedisAt(folder: string | undefined): Promise<RedisServer> {
  if (folder === undefined) return startRedis();
  await mkdir(folder, { recursive: true });
  const redis = await startRedis([`dir ${folder}`]);
  await rm(join(folder, DUMP), { force: true });
  return redis;
}

/** Keeps what Redis has; the API servers have kept their objects. */
export async function saveFleet({ redis: { url } }: Fleet): Promise<void> {
  const client = new Redis(url);
  await client.save();
  client.disconnect();
}

/** Workload servers have other ports and certificates each time. */
async function renewKubeconfigs(client: World["client"], kubeconfigs: readonly string[]): Promise<void> {
  await sideBySide(kubeconfigs, (kubeconfig, index) => {
    const value = Buffer.from(kubeconfig).toString("base64");
    const patch = [{ op: "replace", path: "/data/value", value }] as const;
    return client.jsonPatch(Secret, { namespace: "default", name: `c${index}-kubeconfig` }, patch);
  });
}

/** Returns the place of the workload server of an object's Cluster. */
export function serverOf({ labels = {} }: KubeObject["metadata"]): number {
  return Number(labels["cluster.x-k8s.io/cluster-name"]?.slice(1));
}

export function isUnanswered({ metadata }: KubeObject): boolean {
  return metadata.name.startsWith(SILENT);
}

export async function untilConnectedBy(relays: readonly PartProcess[], clusters: number): Promise<void> {
  while ((await sumOver(relays, "capstan_relay_connections", 'state="connected"')) < clusters)
    await setTimeout(200);
}

/** Resolves once no function has run for a while. */
export async function untilQuiet({ workers }: Pick<Fleet, "workers">): Promise<void> {
  const runs = () => sumOver(workers, "controller_runtime_reconcile_total");
  for (let before = -1, now = await runs(); now !== before; now = await runs()) {
    before = now;
    await setTimeout(QUIET_MS);
  }
}
