import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { round, startWorld, usageOf } from "./capstan-process.ts";
import { createCluster, createPool, prepareProvider, prepareProviders, sideBySide } from "./ready-pools.ts";
import { redisCost } from "./redis-cost.ts";
import { writeResults } from "./results.ts";
import { ScaledWorkers } from "./scaled-workers.ts";
import { isRunning, untilAll, untilConnected } from "./until.ts";
import { startPart, within } from "./worker-processes.ts";
import { poolsOf, startWorkloadServers } from "./workload-servers.ts";

const POOLS = 2_000;

/** Functions run at most five keys of one Cluster at a time on workload servers: one Cluster would be the limit. */
const CLUSTERS = 10;

/** A small Cluster beside them, which must not wait behind the large ones. */
const SMALL = CLUSTERS;

const SMALL_SHARE = 0.05;

/** From then on keys must not wait for long (issue 18). */
const STARTED_MS = 60_000;

const GOAL_SECONDS = 5;
const LOOK_MS = 1_000;
const MS = 1_000;

/** How much of the machine was in use by all processes together. */
interface MachineUse {
  readonly cores: number;
  readonly cpuSeconds: number;
  /** With every core in use all the time, the same work takes so long. */
  readonly leastSeconds: number;
  /** 1: the machine had nothing left. */
  readonly share: number;
}

/** Returns a function that measures the use of the machine since now. */
function meterMachine(): () => MachineUse {
  const cores = cpus().length;
  const [startedAt, before] = [performance.now(), busyMs()];
  return () => {
    const cpuSeconds = (busyMs() - before) / MS;
    const seconds = (performance.now() - startedAt) / MS;
    return {
      cores,
      cpuSeconds: round(cpuSeconds, 1),
      leastSeconds: round(cpuSeconds / cores, 1),
      share: round(cpuSeconds / (cores * seconds), 2),
    };
  };
}

function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/**
 * Thousands of pools in eleven Clusters at once on a real kube-apiserver: real relay and worker processes on Redis, under
 * the rendered ScaledObjects, whose replicas go from 1 to as many as are wanted, at most four, and back to 1. Ends once
 * each group has one worker again. Goal: p99 from ready to start at most 5 s, from one minute after the burst.
 *
 * API servers, Redis, relay and workers share this machine. `machine` says what all of them used of it until the pools
 * ran: where its share is near 1, keys wait for CPU, and no order of them could end the burst before `leastSeconds`; nor
 * could one whose relay, workers and Redis cost nothing before `leastSecondsOfOthers`: where that is more than a minute,
 * the goal cannot be met on such a machine.
 */
export async function scalingBench(): Promise<void> {
  const count = Number(process.argv[3] ?? POOLS);
  const pools = poolsByCluster(count);
  await using world = await startWorld();
  await using redis = await startRedis(["appendonly yes"]);
  await using workload = await startWorkloadServers({
    servers: pools.length,
    pools: Math.ceil(count / CLUSTERS),
    nodes: 1,
  });
  const { client, kubeconfigFile } = world;
  await installCrds(client, systemClock);
  await prepareProviders(client);
  await sideBySide(workload.kubeconfigs, (each, index) => createCluster(client, `c${index}`, each));
  await sideBySide(pools.flat(), (name) => prepareProvider(client, name, 1));

  await using stack = new AsyncDisposableStack();
  const shared = ["--kubeconfig", kubeconfigFile, "--queue", redis.url];
  const relay = await startPart("relay", [...shared, "--functions", "cluster-api"]);
  stack.defer(() => void relay.child.kill("SIGTERM"));
  const workers = stack.use(await ScaledWorkers.start(shared, relay.url));
  await untilConnected(client, pools.length);
  // With the first pool the relay begins to watch the kinds of its provider, which users have at work already.
  const [first, ...burst] = inTurns(pools);
  if (first === undefined) throw new Error("a burst of no pools");
  await createPool(client, first.name, 1, first.cluster);
  await untilAll(client, MachinePool as Kind, 1, isRunning(1));
  const costs = async () => ({
    ...(await workers.done()),
    redisCpu: (await redisCost(redis.url)).cpuSeconds,
    relayCpu: (await usageOf(relay.child.pid)).cpuSeconds,
  });
  const idle = await costs();

  const startedAt = Date.now();
  const secondsTo = (at: number) => round((at - startedAt) / 1_000, 1);
  const usedMachine = meterMachine();
  const created = sideBySide(burst, ({ name, cluster }) => createPool(client, name, 1, cluster));
  const watching = new AbortController();
  const atMinute = created.then(async () => {
    await setTimeout(STARTED_MS);
    return { waits: (await workers.done()).waits, oldest: watchOldest(relay.url, watching.signal) };
  });
  const runningAt = await untilAll(client, MachinePool as Kind, count, isRunning(1));
  const [running, machine] = [await costs(), usedMachine()];
  const { waits, oldest } = await atMinute;
  await workers.untilSmall();
  const smallAgainSeconds = secondsTo(Date.now());
  const { waits: waitsAtEnd } = await workers.done();
  watching.abort();

  const spent = (cost: keyof Omit<typeof idle, "waits">) => running[cost] - idle[cost];
  const perPool = (cost: Parameters<typeof spent>[0]) => round(spent(cost) / count, 4);
  const ownSeconds = spent("relayCpu") + spent("cpuSeconds") + spent("redisCpu");
  const p99StartWithinSeconds = within(0.99, waits, waitsAtEnd);
  const oldestReady = await oldest;
  const results = {
    pools: count,
    clusters: pools.length,
    runningSeconds: secondsTo(Math.max(...runningAt.values())),
    smallClusterRunningSeconds: secondsTo(
      Math.max(...(pools[SMALL] ?? []).map((name) => runningAt.get(name) ?? Number.NaN)),
    ),
    smallAgainSeconds,
    machine: {
      ...machine,
      leastSecondsOfOthers: round((machine.cpuSeconds - ownSeconds) / machine.cores, 1),
    },
    perPool: {
      runs: perPool("runs"),
      looksAtOldSnapshots: perPool("looks"),
      cpuSeconds: { relay: perPool("relayCpu"), workers: perPool("cpuSeconds"), redis: perPool("redisCpu") },
    },
    // None: everything had started within the first minute.
    judgedRuns: (waitsAtEnd.get(Infinity) ?? 0) - (waits.get(Infinity) ?? 0),
    p99StartWithinSeconds,
    oldestReady,
    // The buckets of the metric are powers of ten: where its bound is 10 s, the oldest ready key decides.
    isMet: Math.min(p99StartWithinSeconds, oldestReady.seconds) <= GOAL_SECONDS,
    mostWorkers: workers.most,
    endedBadly: workers.endedBadly,
    dead: (await gauge(relay.url, "capstan_queue_dead_keys")).reduce((sum, { value }) => sum + value, 0),
  };
  const rows = Object.entries(results).map(([what, value]) => [what, JSON.stringify(value)]);
  console.log(formatTable(["WHAT", "MEASURED"], rows));
  console.log(`goal: p99 from ready to start at most ${GOAL_SECONDS} s, endedBadly 0, dead 0`);
  if (count === POOLS) await writeResults("scaling", results);
}

/** Names of the pools of each Cluster, those of the small one last. */
function poolsByCluster(count: number): readonly (readonly string[])[] {
  const small = Math.ceil(count * SMALL_SHARE);
  const large = count - small;
  return Array.from({ length: CLUSTERS + 1 }, (_, cluster) =>
    poolsOf(cluster, cluster === SMALL ? small : Math.ceil((large - cluster) / CLUSTERS)),
  );
}

/** A pool of each large Cluster, then the next of each; those of the small Cluster come last. */
function inTurns(
  pools: readonly (readonly string[])[],
): readonly { readonly name: string; readonly cluster: string }[] {
  const placed = pools.flatMap((names, index) =>
    names.map((name, turn) => ({ name, cluster: `c${index}`, turn: index === SMALL ? Infinity : turn })),
  );
  return placed.toSorted((a, b) => (a.turn === b.turn ? 0 : a.turn - b.turn));
}

/** Returns the oldest ready key that is seen until the signal, by its function: no run has waited longer. */
async function watchOldest(
  relayUrl: string,
  signal: AbortSignal,
): Promise<{ readonly seconds: number; readonly function: string }> {
  let oldest = { seconds: 0, function: "" };
  while (!signal.aborted) {
    for (const { value, of } of await gauge(relayUrl, "capstan_queue_oldest_ready_seconds"))
      if (value > oldest.seconds) oldest = { seconds: round(value, 1), function: of };
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return oldest;
}

/** A metric by function. */
async function gauge(
  relayUrl: string,
  name: string,
): Promise<readonly { readonly value: number; readonly of: string }[]> {
  const text = await (await fetch(`${relayUrl}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}\\{.*function="([^"]+)".*\\} (\\S+)$`, "gm"));
  return [...lines].map(([, of = "", value]) => ({ value: Number(value), of }));
}
