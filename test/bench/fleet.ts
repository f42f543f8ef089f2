import { cp, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { auditedRequests } from "../support/processes/audit-log.ts";
import { round, type Usage, usageOf } from "./capstan-process.ts";
import { PHASES, type Phase } from "./fleet-phases.ts";
import { type Fleet, isSavedFleet, saveFleet, startFleet, untilQuiet } from "./fleet-servers.ts";
import { isOfManager, READS } from "./machine-managers.ts";
import { redisCost } from "./redis-cost.ts";
import { writeResults } from "./results.ts";
import { progress } from "./rounds.ts";

const SIZES = [10, 100];
const SAVED = join(homedir(), ".cache", "capstan", "fleets");

/** One phase. CPU, requests and calls are per Cluster; memory is that at its end. */
interface Row {
  readonly clusters: number;
  readonly phase: string;
  readonly seconds: number;
  readonly relayCpuMs: number;
  readonly workerCpuMs: number;
  readonly redisCpuMs: number;
  readonly serverCpuMs: number;
  readonly relayMiB: number;
  readonly workerMiB: number;
  readonly redisMiB: number;
  readonly reads: number;
  readonly writes: number;
  readonly redisCalls: number;
  /** From the change of a Node to the status that says it, in ms; empty where no Node changes. */
  readonly p50: string;
  readonly p99: string;
}

/**
 * Clusters with a pool of 3 and a MachineDeployment of 2 each, every one with a workload API server and a kubeconfig of its
 * own: the phases of their life, one after the other. Numbers of Clusters as arguments.
 *
 * `--phase=created` saves the fleet that it makes; with another phase, such a fleet is brought back for it alone.
 */
export async function fleetBench(): Promise<void> {
  const args = process.argv.slice(3);
  const wanted = args.map(Number).filter((size) => !Number.isNaN(size));
  const [phase] = args.flatMap((arg) => (arg.startsWith("--phase=") ? [arg.slice("--phase=".length)] : []));
  const rows: Row[] = [];
  for (const clusters of wanted.length > 0 ? wanted : SIZES)
    rows.push(...(await (phase === undefined ? measureLife(clusters) : measurePhase(clusters, phase))));
  const [first] = rows;
  console.log(
    formatTable(
      Object.keys(first ?? {}),
      rows.map((row) => Object.values(row).map(String)),
    ),
  );
  await writeResults(phase === undefined ? "fleet" : `fleet-${phase}`, rows);
}

async function measureLife(clusters: number): Promise<readonly Row[]> {
  await using fleet = await startFleet(clusters);
  const rows: Row[] = [];
  for (const [phase, play] of Object.entries(PHASES)) rows.push(await measure(fleet, phase, play));
  return rows;
}

async function measurePhase(clusters: number, phase: string): Promise<readonly Row[]> {
  const play = PHASES[phase];
  if (play === undefined) throw new Error(`there is no phase ${phase}: ${Object.keys(PHASES).join(", ")}`);
  const saved = join(SAVED, String(clusters));
  if (phase === "created") {
    await rm(saved, { recursive: true, force: true });
    await using fleet = await startFleet(clusters, saved);
    const row = await measure(fleet, phase, play);
    await saveFleet(fleet);
    return [row];
  }
  if (!isSavedFleet(saved)) throw new Error(`${saved} has no fleet: run --phase=created first`);
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-fleet-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(saved, folder, { recursive: true });
  progress(`${clusters} Clusters: brought back`);
  return [await measure(stack.use(await startFleet(clusters, folder)), phase, play)];
}

/** Plays a phase; its costs are those until nothing runs any longer. */
async function measure(fleet: Fleet, phase: string, play: Phase): Promise<Row> {
  progress(`${fleet.clusters.length} Clusters: ${phase}`);
  const before = await costOf(fleet);
  const startedAt = performance.now();
  const waits = (await play(fleet)).toSorted((a, b) => a - b);
  const seconds = round((performance.now() - startedAt) / 1_000, 1);
  if (phase !== "rest") await untilQuiet(fleet);
  const after = await costOf(fleet);
  const each = (sum: number) => round(sum / fleet.clusters.length, 1);
  const cpuMs = (kind: "relays" | "workers" | "redis" | "server") =>
    each(cpuBetween(before[kind], after[kind]) * 1_000);
  const isSameRedis = [...after.redis.keys()].every((pid) => before.redis.has(pid));
  const at = (share: number) => String(waits[Math.ceil(share * waits.length) - 1] ?? "");
  const row = {
    clusters: fleet.clusters.length,
    phase,
    seconds,
    relayCpuMs: cpuMs("relays"),
    workerCpuMs: cpuMs("workers"),
    redisCpuMs: cpuMs("redis"),
    serverCpuMs: cpuMs("server"),
    relayMiB: residentOf(after.relays),
    workerMiB: residentOf(after.workers),
    redisMiB: residentOf(after.redis),
    reads: each(after.reads - before.reads),
    writes: each(after.writes - before.writes),
    redisCalls: each(after.calls - (isSameRedis ? before.calls : 0)),
    p50: at(0.5),
    p99: at(0.99),
  };
  console.log(JSON.stringify(row));
  return row;
}

interface Cost {
  readonly relays: Used;
  readonly workers: Used;
  readonly redis: Used;
  /** API server, etcd and garbage collector. */
  readonly server: Used;
  readonly reads: number;
  readonly writes: number;
  /** Of the Redis server with the pid of `redis`. */
  readonly calls: number;
}

/** By process: one that a phase ends takes along what it has used in that phase. */
type Used = ReadonlyMap<number, Usage>;

async function costOf({ leader, relays, workers, redis, world }: Fleet): Promise<Cost> {
  const used = async (pids: readonly number[]): Promise<Used> =>
    new Map(await Promise.all(pids.map(async (pid) => [pid, await usageOf(pid)] as const)));
  const requests = { reads: 0, writes: 0 };
  for await (const request of auditedRequests(world.auditLog ?? "")) {
    if (isOfManager(request)) requests[READS.has(request.verb) ? "reads" : "writes"] += 1;
  }
  return {
    relays: await used([leader, ...relays].map(({ pid }) => pid)),
    workers: await used(workers.map(({ pid }) => pid)),
    redis: await used([redis.pid]),
    server: await used(world.pids),
    ...requests,
    calls: (await redisCost(redis.url)).calls,
  };
}

function cpuBetween(before: Used, after: Used): number {
  return [...after].reduce(
    (sum, [pid, { cpuSeconds }]) => sum + cpuSeconds - (before.get(pid)?.cpuSeconds ?? 0),
    0,
  );
}

function residentOf(used: Used): number {
  return Math.round([...used.values()].reduce((sum, { residentMiB }) => sum + residentMiB, 0));
}
