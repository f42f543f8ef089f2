import { NO_FAULTS, randomPlan } from "./plan.ts";
import type { Prepared } from "./prepared.ts";
import { restless } from "./restless.ts";
import { type RunResult, runOnce } from "./run.ts";
import type { Workload } from "./workloads/workload.ts";

export interface SwarmOptions {
  readonly workloads: readonly Workload[];
  readonly prepared: Prepared;
  readonly firstSeed: number;
  readonly seeds: number;
  /** Only these classes, in every seed. */
  readonly faults?: readonly string[] | undefined;
}

export interface SwarmRun {
  readonly seed: number;
  readonly workload: Workload;
  readonly result: RunResult;
}

/** Of simulated time. */
export const HOUR_MS = 60 * 60_000;
/** 6.2. */
const TWICE_EVERY = 100;

/** Random faults for a simulated hour per seed, then heal (6.4). The workloads take turns. */
export async function* swarm({
  workloads,
  prepared,
  firstSeed,
  seeds,
  faults,
}: SwarmOptions): AsyncGenerator<SwarmRun> {
  const play = seedPlayer(prepared, faults);
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const workload = workloads[seed % workloads.length];
    if (workload === undefined) return;
    const result = await play(seed, workload);
    yield { seed, workload, result };
  }
}

/** How one seed of the swarm is played. */
export interface SeedOptions {
  readonly seed: number;
  readonly workload: Workload;
  readonly prepared: Prepared;
  /** The same users without faults. */
  readonly reference: RunResult;
  /** Only these classes; absent: a random choice. */
  readonly faults?: readonly string[] | undefined;
  readonly keepTrace?: boolean;
}

/** Different series of edits; each needs a run without faults to compare with. */
const SERIES = 8;

/** The users of a seed, and what they come to without faults. */
export async function seedOptions(
  seed: number,
  workload: Workload,
  prepared: Prepared,
): Promise<SeedOptions> {
  const users = restless(workload, seed % SERIES);
  const reference = await runOnce({ seed: 0, workload: users, prepared, plan: NO_FAULTS });
  return { seed, workload: users, prepared, reference };
}

/** Plays seeds; what they are compared with is played once per workload and series of edits. */
function seedPlayer(
  prepared: Prepared,
  faults: readonly string[] | undefined,
): (seed: number, workload: Workload) => Promise<RunResult> {
  const known = new Map<string, SeedOptions>();
  return async (seed, workload) => {
    const name = `${workload.number} ${seed % SERIES}`;
    const options = known.get(name) ?? (await seedOptions(seed, workload, prepared));
    known.set(name, options);
    return runSeed({ ...options, seed, faults });
  };
}

/** Plays a seed; every 100th is played twice and must do the same. */
export async function runSeed(options: SeedOptions): Promise<RunResult> {
  const play = () =>
    runOnce({ ...options, plan: randomPlan(options.seed, options.faults), faultyMs: HOUR_MS });
  const result = await play();
  if (options.seed % TWICE_EVERY !== 0) return result;
  const again = await play();
  if (again.hash === result.hash) return result;
  const violation = `6.2: two runs of seed ${options.seed} have hashes ${result.hash} and ${again.hash}`;
  return { ...result, violations: [violation, ...result.violations] };
}
