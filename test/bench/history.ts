import { Redis } from "ioredis";
import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { openBackend } from "../../infra/queue/backends/open.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { silentLog } from "../support/silent-log.ts";
import { round, startCapstan, startWorld, type World } from "./capstan-process.ts";
import { cpuPerRun, NEW_POOLS } from "./cpu-per-run.ts";
import { goalRow } from "./goals.ts";
import { costOfNotes, fillMemory } from "./history-notes.ts";
import { prepareCluster } from "./ready-pools.ts";
import { writeResults } from "./results.ts";
import { inTurn, loadNow, median, progress } from "./rounds.ts";

/** `npm run bench -- history 1` plays one round and writes no results. */
const ROUNDS = 3;
const NONE = ["--history-mb", "0"];
const GOALS = { share: 0.03, kibPerCluster: 15 } as const;
const KEYS_PER_CLUSTER = 15;

/**
 * Cost of the history: CPU of a note in this process over CPU of a run of a Capstan process, which brings up
 * pools with a history and without; Redis per Cluster after the same on Redis; memory when a history in memory is full.
 */
export async function historyBench(): Promise<void> {
  const wanted = Number(process.argv[3] ?? ROUNDS);
  const memory = await fillMemory();
  await using world = await startWorld();
  await installCrds(world.client, systemClock);
  await prepareCluster(world.client, world.kubeconfig);
  const rounds: Round[] = [];
  for (let at = 0; at < wanted; at += 1) rounds.push(await playRound(world, at));
  const onRedis = await redisBytes(world, wanted * 2 * NEW_POOLS);
  const middle = (of: (one: Round) => number) => round(median(rounds.map(of)), 4);
  const share = {
    memory: middle((one) => one.memory.writing / one.off),
    redis: middle((one) => one.redis.writing / one.off),
  };
  const idleShare = {
    memory: middle((one) => one.memory.idle / one.off),
    redis: middle((one) => one.redis.idle / one.off),
  };
  const kibPerCluster = round((onRedis.bytesPerRing * KEYS_PER_CLUSTER) / 1_024, 1);
  console.log(
    formatTable(
      ["COST", "MEASURED", "GOAL", ""],
      [
        goalRow("CPU of a run that writes, in memory", share.memory, GOALS.share),
        goalRow("CPU of a run that writes, on Redis", share.redis, GOALS.share),
        goalRow("CPU of an idle run, in memory", idleShare.memory, GOALS.share),
        goalRow("CPU of an idle run, on Redis", idleShare.redis, GOALS.share),
        goalRow("KiB of Redis per Cluster", kibPerCluster, GOALS.kibPerCluster),
        goalRow("MiB of a full history in memory over its bound", memory.share, 1),
      ],
    ),
  );
  const figures = {
    share,
    idleShare,
    kibPerCluster,
    onRedis,
    memory,
    withHistory: middle((one) => one.on / one.off),
  };
  console.log(figures);
  if (wanted === ROUNDS) await writeResults("history", { ...figures, rounds, load: loadNow() });
}

interface Round {
  /** CPU microseconds of a run, without history and with one in memory. */
  readonly off: number;
  readonly on: number;
  /** CPU microseconds of a note. */
  readonly memory: Notes;
  readonly redis: Notes;
}
type Notes = Awaited<ReturnType<typeof costOfNotes>>;

async function playRound(world: World, at: number): Promise<Round> {
  const runs = { off: 0, on: 0 };
  for (const [index, mode] of inTurn(["off", "on"] as const, at).entries()) {
    progress(`round ${at + 1}, history ${mode}`);
    const from = (2 * at + index) * NEW_POOLS;
    const options = mode === "off" ? NONE : [];
    const start = () => startCapstan(world.kubeconfigFile, undefined, {}, options);
    runs[mode] = (await cpuPerRun(world, { from, start })).microsecondsPerRun;
  }
  progress(`round ${at + 1}, notes`);
  await using redis = await startRedis();
  return { ...runs, memory: await notes("memory"), redis: await notes(redis.url) };
}

async function notes(url: string): Promise<Notes> {
  const backend = await openBackend({ url });
  const history = await backend.history({ clock: systemClock, log: silentLog });
  if (history === undefined) throw new Error("the history is off");
  return costOfNotes(history);
}

/** Memory of a Redis server per function and key, after pools were brought up on it. */
async function redisBytes(world: World, from: number) {
  progress("pools on Redis");
  await using server = await startRedis();
  const redis = new Redis(server.url);
  const found = { rings: 0, bytes: 0, usedBytes: 0 };
  await cpuPerRun(world, {
    from,
    start: () => startCapstan(world.kubeconfigFile, undefined, {}, ["--queue", server.url]),
    endsAfterMs: 2_000,
    look: async () => {
      const keys = await redis.keys("{cap:history}:*");
      const sizes = await Promise.all(keys.map((key) => redis.memory("USAGE", key, "SAMPLES", 0)));
      found.rings = await redis.zcard("{cap:history}:rings");
      found.bytes = Number(await redis.get("{cap:history}:bytes"));
      found.usedBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    },
  });
  redis.disconnect();
  const { rings, bytes, usedBytes } = found;
  return { rings, bytesPerRing: Math.round(usedBytes / rings), countedOverUsed: round(bytes / usedBytes) };
}
