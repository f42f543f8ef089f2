import { Redis } from "ioredis";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { createMemoryQueue } from "../../infra/queue/backends/embedded/queue.ts";
import { createBullmqQueue } from "../../infra/queue/backends/redis/bullmq/bullmq.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { type RedisServer, startRedis } from "../support/processes/redis-server.ts";
import { round } from "./capstan-process.ts";
import { createEmulatedSqs } from "./emulated-sqs.ts";
import { createBareList, createPlainBullmq } from "./queue-baselines.ts";
import {
  type Contender,
  contenderOf,
  keysOf,
  type Latency,
  measureFairness,
  measureLatency,
  measureStorm,
  measureThroughput,
  type Throughput,
} from "./queue-loads.ts";
import { writeResults } from "./results.ts";
import { median } from "./rounds.ts";

/**
 * All take part in every round, one after the other, because the machine does other things, too: a row shows the best
 * round of each, and a ratio is the median of the rounds'.
 */
const ROUNDS = 5;
const CONCURRENCY = 64;
const LATENCY = { count: 2_000, everyMs: 2 };
const STORM = { events: 20_000, keys: 500 };
const FAIRNESS = { noisy: 4_000, quiet: 50 };
const QUIET_EVERY_MS = 10;
const WAITING_KEYS = 5_000;

interface Candidate {
  readonly create: (redis: RedisServer) => Promise<Contender>;
  /** Keys of a measurement of throughput. */
  readonly count: number;
}

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: console.error,
};
const BULLMQ: Candidate = {
  create: async ({ url }) => contenderOf("bullmq", await createBullmqQueue({ url, log: SILENT })),
  count: 20_000,
};
const DRIVERS: readonly Candidate[] = [
  {
    create: async () => contenderOf("memory", await createMemoryQueue({ clock: systemClock })),
    count: 20_000,
  },
  BULLMQ,
  // Against an emulator in this process, so a lower bound.
  { create: ({ url }) => createEmulatedSqs(url, SILENT), count: 2_000 },
];
const BASELINES: readonly Candidate[] = [
  { create: ({ url }) => createBareList(url), count: 20_000 },
  { create: ({ url }) => createPlainBullmq(url), count: 20_000 },
];

/**
 * Throughput and start latency of every driver beside plain BullMQ and a bare list in the same run, Redis memory per
 * waiting key, a storm of events on few keys, and a quiet tenant behind a noisy one. Goals: issue 2, "It must show".
 */
export async function queueBench(): Promise<void> {
  const { rows: speed, ofPlainBullmq } = await speedsOf([...BASELINES, ...DRIVERS]);
  const loads = await oneByOne(DRIVERS, loadsOf);
  const bytesPerKey = await bytesPerWaitingKey();
  console.log(
    formatTable(
      ["DRIVER", "JOBS/s", "ADD/s", "RUN/s", "START p50 ms", "p99 ms"],
      speed.map((row) =>
        [row.name, row.perSecond, row.addPerSecond, row.runPerSecond, row.p50Ms, row.p99Ms].map(String),
      ),
    ),
  );
  console.log(
    formatTable(
      ["DRIVER", "STORM RUNS", "STORM s", "QUIET p50 ms", "BEHIND NOISY", "BURST p50 ms", "BEHIND NOISY"],
      loads.map(({ name, storm, spaced, burst }) =>
        [
          name,
          storm.runs,
          storm.seconds,
          spaced.alone.p50Ms,
          spaced.behind.p50Ms,
          burst.alone.p50Ms,
          burst.behind.p50Ms,
        ].map(String),
      ),
    ),
  );
  const { jobs, startP99 } = ofPlainBullmq;
  console.log(
    `bullmq: ${jobs} of plain BullMQ's jobs/s (goal 0.7), ${startP99} of its start p99 (goal 2); ${bytesPerKey} bytes of Redis per waiting key (goal 620)`,
  );
  await writeResults("queue", { speed, loads, ofPlainBullmq, bytesPerKey });
}

/** Never at the same time: they would slow each other down. */
async function oneByOne<T>(
  all: readonly Candidate[],
  measure: (candidate: Candidate) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const each of all) results.push(await measure(each));
  return results;
}

type Speed = Throughput & Latency & { readonly name: string };

async function speedsOf(candidates: readonly Candidate[]) {
  const rounds: (readonly Speed[])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await oneByOne(candidates, speedOf));
  const rows = candidates.map((_, index) => bestOf(rounds.flatMap((round) => round[index] ?? [])));
  const ratioOf = (figure: "perSecond" | "p99Ms"): number =>
    round(
      median(rounds.map((each) => figureOf(each, "bullmq", figure) / figureOf(each, "plain BullMQ", figure))),
      2,
    );
  return { rows, ofPlainBullmq: { jobs: ratioOf("perSecond"), startP99: ratioOf("p99Ms") } };
}

function figureOf(round: readonly Speed[], name: string, figure: "perSecond" | "p99Ms"): number {
  return round.find((row) => row.name === name)?.[figure] ?? Number.NaN;
}

async function speedOf(candidate: Candidate): Promise<Speed> {
  const load = { count: candidate.count, concurrency: CONCURRENCY };
  const throughput = await fresh(candidate, (contender) => measureThroughput(contender, load));
  const latency = await fresh(candidate, (contender) => measureLatency(contender, LATENCY));
  return { name: await nameOf(candidate), ...throughput, ...latency };
}

function bestOf([first, ...others]: readonly Speed[]): Speed {
  if (first === undefined) throw new Error("bug: no round");
  return others.reduce((best, each) => {
    const { addPerSecond, runPerSecond, perSecond } = each.perSecond > best.perSecond ? each : best;
    const { p50Ms, p99Ms } = each.p99Ms < best.p99Ms ? each : best;
    return { name: best.name, addPerSecond, runPerSecond, perSecond, p50Ms, p99Ms };
  }, first);
}

async function loadsOf(candidate: Candidate) {
  const storm = await fresh(candidate, (contender) => measureStorm(contender, STORM));
  await using redis = await startRedis();
  const clean = async (): Promise<Contender> => {
    await flush(redis);
    return candidate.create(redis);
  };
  const spaced = await measureFairness(clean, { ...FAIRNESS, everyMs: QUIET_EVERY_MS });
  const burst = await measureFairness(clean, { ...FAIRNESS, everyMs: 0 });
  return { name: await nameOf(candidate), storm, spaced, burst };
}

function nameOf(candidate: Candidate): Promise<string> {
  return fresh(candidate, async ({ name }) => name);
}

/** Returns the memory of one key that is ready and not claimed, with the cause of its event. */
async function bytesPerWaitingKey(): Promise<number> {
  await using redis = await startRedis();
  await using contender = await BULLMQ.create(redis);
  const [first = "", ...others] = keysOf("default", WAITING_KEYS);
  await contender.add([first]);
  const before = await usedMemory(redis);
  await contender.add(others);
  return Math.round(((await usedMemory(redis)) - before) / others.length);
}

async function usedMemory({ url }: RedisServer): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info("memory");
  redis.disconnect();
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
}

async function flush({ url }: RedisServer): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

/** Every measurement has a server of its own: no data left over, no other client. */
async function fresh<T>({ create }: Candidate, measure: (contender: Contender) => Promise<T>): Promise<T> {
  await using redis = await startRedis();
  await using contender = await create(redis);
  return await measure(contender);
}
