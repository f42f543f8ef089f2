import { setTimeout } from "node:timers/promises";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { createBullmqQueue } from "../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { silentLog } from "../support/silent-log.ts";
import { round, type Usage } from "./capstan-process.ts";
import { metricSum, type PartProcess, sumOver } from "./part-process.ts";
import { createPlainBullmq } from "./queue-baselines.ts";
import { type Contender, contenderOf, measureThroughput, runAtRate } from "./queue-loads.ts";
import { redisCost } from "./redis-cost.ts";
import { writeResults } from "./results.ts";
import { progress } from "./rounds.ts";
import { type ScaleWorld, startScaleWorld } from "./scale-world.ts";

const WORKERS = [1, 2, 4];
/** A trial is shorter; its figures are not kept. */
const IS_TRIAL = process.argv.includes("--trial");
const MEASURED_MS = IS_TRIAL ? 8_000 : 60_000;
/** Of a rate that is only tried, to find the one to measure. */
const TRIED_MS = MEASURED_MS / 4;
const BURST_PER_WORKER = IS_TRIAL ? 400 : 2_000;
/** How close the search comes, and where it begins: shares of the rate at which a backlog drains. */
const STEP = 1.05;
const [LEAST_SHARE, MOST_SHARE] = [0.5, 3];
const FEED_MS = 20;
/** The share of starts within a second that p99 ≤ 1 s means. */
const WITHIN_A_SECOND = 0.99;
/** Above, the machine and not the workers would be measured. */
const MOST_CORES = 1.7;
const GOAL = { efficiency: 0.85, thesis: 0.69, cpuPerRun: 1.1, redisCores: 0.6, runsPerSecond: 6_500 };

interface Capacity {
  readonly workers: number;
  readonly runsPerSecond: number;
  readonly startedWithinASecond: number;
  readonly cpuMsPerRun: number;
  readonly redisCallsPerRun: number;
  readonly redisCpuMsPerRun: number;
  readonly cores: number;
}

/**
 * How the rate of runs grows with workers, each in a cgroup of 0.15 core, beside a Redis of 0.4: the highest rate over a
 * minute at which 99 of 100 keys start within a second. Efficiency is that rate by the workers, against one. Then the
 * CPU of Redis for 6,500 runs a second, beside plain BullMQ in the same run.
 */
export async function scaleBench(): Promise<void> {
  const capacities: Capacity[] = [];
  for (const workers of WORKERS) capacities.push(await capacityOf(workers));
  const [one] = capacities;
  if (one === undefined) throw new Error("bug: no capacity");
  const rows = capacities.map((row) => ({
    ...row,
    efficiency: round(row.runsPerSecond / (row.workers * one.runsPerSecond), 2),
    cpuPerRunAgainstOne: round(row.cpuMsPerRun / one.cpuMsPerRun, 2),
  }));
  console.log(
    formatTable(
      Object.keys(rows[0] ?? {}),
      rows.map((row) => Object.values(row).map(String)),
    ),
  );
  const redis = await redisRow();
  const last = rows.at(-1);
  const results = {
    rows,
    efficiency: last?.efficiency,
    cpuPerRunAgainstOne: last?.cpuPerRunAgainstOne,
    redis,
    goal: GOAL,
  };
  console.log(
    [
      `efficiency of ${last?.workers} workers: ${last?.efficiency} (goal ${GOAL.efficiency}, thesis ${GOAL.thesis})`,
      `CPU per run against one worker: ${last?.cpuPerRunAgainstOne} (goal ${GOAL.cpuPerRun})`,
      `Redis at ${GOAL.runsPerSecond} runs/s: ${redis.cores} core (goal ${GOAL.redisCores}), ${redis.ofPlainBullmq} of plain BullMQ's; this machine ran ${redis.runsPerSecond}`,
    ].join("\n"),
  );
  if (!IS_TRIAL) await writeResults("scale", results);
}

async function capacityOf(count: number): Promise<Capacity> {
  await using world = await startScaleWorld();
  const workers: PartProcess[] = [];
  for (let index = 0; index < count; index += 1) workers.push(await world.work());
  const drained = await drainRate(world, workers);
  progress(`${count} workers drain ${Math.round(drained)} keys/s`);
  // Awaited here: the world ends with this function.
  return await highest(async (share, forMs) => {
    const found = await probe(world, workers, { perSecond: drained * share, forMs });
    const text = `${share.toFixed(2)} of that for ${forMs / 1_000} s`;
    progress(`${text}: ${found.startedWithinASecond} start within a second, ${found.cores} cores`);
    if (found.cores > MOST_CORES) throw new Error(`void: ${found.cores} of this machine's cores were in use`);
    return found;
  });
}

/**
 * Searches between a rate that holds and one that does not, then measures the highest that has held for a minute, and
 * lower ones until one holds for so long.
 */
async function highest(probeShare: (share: number, forMs: number) => Promise<Capacity>): Promise<Capacity> {
  const holds = ({ startedWithinASecond }: Capacity) => startedWithinASecond >= WITHIN_A_SECOND;
  let [low, high] = [LEAST_SHARE, MOST_SHARE];
  while (high / low > STEP) {
    const share = Math.sqrt(low * high);
    if (holds(await probeShare(share, TRIED_MS))) low = share;
    else high = share;
  }
  for (let share = low; share >= LEAST_SHARE / STEP; share /= STEP) {
    const found = await probeShare(share, MEASURED_MS);
    if (holds(found)) return found;
  }
  throw new Error("the workers hold no rate at which keys start within a second");
}

/** Keys a second at which workers that have started drain a backlog. */
async function drainRate(world: ScaleWorld, workers: readonly PartProcess[]): Promise<number> {
  const keys = BURST_PER_WORKER * workers.length;
  // The first runs compile code.
  await world.add(keys / 4);
  await untilStarted(workers, keys / 4);
  await world.add(keys);
  const at = performance.now();
  await untilStarted(workers, (keys * 5) / 4);
  return keys / ((performance.now() - at) / 1_000);
}

async function probe(
  world: ScaleWorld,
  workers: readonly PartProcess[],
  { perSecond, forMs }: { readonly perSecond: number; readonly forMs: number },
): Promise<Capacity> {
  const before = await stateOf(world, workers);
  const startedAt = performance.now();
  let fed = 0;
  for (let elapsed = 0; elapsed < forMs; elapsed = performance.now() - startedAt) {
    const due = Math.floor((elapsed * perSecond) / 1_000) - fed;
    if (due > 0) await world.add(due);
    fed += Math.max(0, due);
    await setTimeout(FEED_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const end = await stateOf(world, workers);
  // Keys that have not started by now are late, too.
  await untilStarted(workers, before.started + fed);
  const after = await stateOf(world, workers);
  const runs = end.started - before.started;
  return {
    workers: workers.length,
    runsPerSecond: round(fed / seconds, 1),
    startedWithinASecond: round((after.soon - before.soon) / fed, 4),
    cpuMsPerRun: round(((end.workerCpu - before.workerCpu) * 1_000) / runs),
    redisCallsPerRun: round((end.redis.calls - before.redis.calls) / runs, 1),
    redisCpuMsPerRun: round(((end.redis.cpuSeconds - before.redis.cpuSeconds) * 1_000) / runs),
    cores: round((end.workerCpu + end.otherCpu - before.workerCpu - before.otherCpu) / seconds, 2),
  };
}

async function stateOf(world: ScaleWorld, workers: readonly PartProcess[]) {
  const [texts, usages, others, redis] = await Promise.all([
    Promise.all(workers.map((worker) => worker.metrics())),
    Promise.all(workers.map((worker) => worker.usage())),
    world.others(),
    world.redis(),
  ]);
  const sum = (name: string, ...labels: readonly string[]) =>
    texts.reduce((total, text) => total + metricSum(text, name, ...labels), 0);
  return {
    started: sum("workqueue_queue_duration_seconds_count"),
    soon: sum("workqueue_queue_duration_seconds_bucket", 'le="1"'),
    workerCpu: cpuOf(usages),
    otherCpu: cpuOf(others),
    redis,
  };
}

function cpuOf(usages: readonly Usage[]): number {
  return usages.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
}

async function untilStarted(workers: readonly PartProcess[], count: number): Promise<void> {
  for (let started = 0; started < count; ) {
    // More often it would take a part of what the workers may use.
    await setTimeout(1_000);
    started = await sumOver(workers, "workqueue_queue_duration_seconds_count");
  }
}

const REDIS_SECONDS = IS_TRIAL ? 3 : 20;

/**
 * The CPU of Redis at a rate that one management cluster can need, from enqueueing to the end of the run. At a full load,
 * it would be less for each run: more keys share a call.
 */
async function redisRow() {
  const ours = await redisAtRate(async (url) =>
    contenderOf("bullmq", await createBullmqQueue({ url, log: silentLog })),
  );
  const plain = await redisAtRate(createPlainBullmq);
  return {
    runsPerSecond: Math.round(ours.perSecond),
    cores: round(ours.cpuSeconds * GOAL.runsPerSecond, 2),
    ofPlainBullmq: round(ours.cpuSeconds / plain.cpuSeconds, 2),
  };
}

/** CPU seconds for each run, and the rate that this machine has reached. */
async function redisAtRate(create: (url: string) => Promise<Contender>) {
  await using redis = await startRedis();
  await using contender = await create(redis.url);
  await measureThroughput(contender, { count: 1_000, concurrency: 64 });
  const before = await redisCost(redis.url);
  const load = { perSecond: GOAL.runsPerSecond, seconds: REDIS_SECONDS, concurrency: 64 };
  const perSecond = await runAtRate(contender, load);
  const after = await redisCost(redis.url);
  const runs = GOAL.runsPerSecond * REDIS_SECONDS;
  return { perSecond, cpuSeconds: (after.cpuSeconds - before.cpuSeconds) / runs };
}
