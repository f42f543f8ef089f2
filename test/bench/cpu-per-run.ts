import { setTimeout } from "node:timers/promises";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { CapstanProcess, World } from "./capstan-process.ts";
import { createPool, preparePool, sideBySide } from "./ready-pools.ts";
import { isRunning, untilAll, untilConnected } from "./until.ts";

export interface CpuPerRun {
  readonly microsecondsPerRun: number;
  readonly runs: number;
}

interface Measurement {
  /** Number of the first new pool; the world holds all before it. */
  readonly from: number;
  readonly start: () => Promise<CapstanProcess>;
  /** Work that the runs leave behind is over after this long. Default 0. */
  readonly endsAfterMs?: number;
  /** Called before the process ends. */
  readonly look?: () => Promise<void>;
}

const POOLS = 150;
/** Compiled code makes later runs cheaper. */
const WARM_POOLS = 50;
const REPLICAS = 3;
const MICROSECONDS = 1_000_000;
/** Pools that a measurement makes. */
export const NEW_POOLS = WARM_POOLS + POOLS;

/** CPU of a Capstan process per run, from 150 new pools until they are Running, after 50 that are not counted. */
export async function cpuPerRun(
  { client }: World,
  { from, start, endsAfterMs = 0, look }: Measurement,
): Promise<CpuPerRun> {
  const names = Array.from({ length: NEW_POOLS }, (_, index) => `pool-${from + index}`);
  await sideBySide(names, (name) => preparePool(client, name, REPLICAS));
  await using capstan = await start();
  await untilConnected(client);
  const bringUp = async (pools: readonly string[]): Promise<void> => {
    await sideBySide(pools, (name) => createPool(client, name, REPLICAS));
    const made = from + names.indexOf(pools.at(-1) ?? "") + 1;
    await untilAll(client, MachinePool as Kind, made, isRunning(REPLICAS));
  };
  await bringUp(names.slice(0, WARM_POOLS));
  await untilIdle(capstan);
  const before = await costs(capstan);
  await bringUp(names.slice(WARM_POOLS));
  await untilIdle(capstan);
  await setTimeout(endsAfterMs);
  const after = await costs(capstan);
  await look?.();
  const runs = after.runs - before.runs;
  return { runs, microsecondsPerRun: ((after.cpuSeconds - before.cpuSeconds) * MICROSECONDS) / runs };
}

/** The start of a process looks at everything once. */
async function untilIdle(capstan: CapstanProcess): Promise<void> {
  for (let last = -1, { runs } = await costs(capstan); runs !== last; { runs } = await costs(capstan)) {
    last = runs;
    await setTimeout(1_000);
  }
}

async function costs(capstan: CapstanProcess) {
  const [jobs, { cpuSeconds }] = await Promise.all([capstan.jobs(), capstan.usage()]);
  return { cpuSeconds, runs: [...jobs.values()].reduce((sum, runs) => sum + runs, 0) };
}
