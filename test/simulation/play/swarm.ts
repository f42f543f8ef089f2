import { MachinePool } from "../../../shared/api/machinepool.ts";
import { seeded } from "../kernel/seeded.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { hasNodes, scale } from "../workloads/pools.ts";
import type { Workload } from "../workloads/workload.ts";
import { NO_FAULTS, randomPlan } from "./plan.ts";
import type { Job } from "./player.ts";
import type { Prepared } from "./prepared.ts";
import { type Onlooker, type RunResult, runOnce } from "./run.ts";
import type { User } from "./user.ts";

export interface SwarmOptions {
  /** They take turns. */
  readonly workloads: readonly Workload[];
  readonly firstSeed: number;
  readonly seeds: number;
  /** Only these classes, in every seed. */
  readonly faults?: readonly string[] | undefined;
}

/** Of simulated time. */
export const HOUR_MS = 60 * 60_000;

/** Every so many seeds are played twice. */
export const TWICE_EVERY = 100;

const EDITS = 8;
const MINUTE = 60_000;

/** Random faults for a simulated hour per seed, then heal. */
export function swarmJobs({ workloads, firstSeed, seeds, faults }: SwarmOptions): readonly Job[] {
  return Array.from({ length: seeds }, (_, index) => {
    const seed = firstSeed + index;
    const { number } = workloads[seed % workloads.length] as Workload;
    return { workload: number, seed, faults };
  });
}

/** The workload of that number, or else the one whose turn it is with a seed. */
export function workloadOfSeed(seed: number, number?: string): Workload {
  const found = number === undefined ? WORKLOADS[seed % WORKLOADS.length] : workloadOf(number);
  if (found === undefined) throw new Error("bug: there are no workloads");
  return found;
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
  readonly onlooker?: Onlooker | undefined;
}

/** Different series of edits; each needs a run without faults to compare with. Seeds take turns. */
const SERIES = 8;

/** The series of a seed: without a pool to scale all are the same. */
export function seriesOf({ hasNoPool }: Workload, seed: number): number {
  return hasNoPool === true ? 0 : seed % SERIES;
}

/** The users of a seed, and what they come to without faults. */
export async function seedOptions(
  seed: number,
  workload: Workload,
  prepared: Prepared,
): Promise<SeedOptions> {
  const users = restless(workload, seriesOf(workload, seed));
  const reference = await runOnce({ seed: 0, workload: users, prepared, plan: NO_FAULTS });
  return { seed, workload: users, prepared, reference };
}

/**
 * A workload whose users continue: they scale the pool again and again, always waiting for what they have asked for, so
 * that a run without faults creates and deletes exactly as much. Which edits, says `edits`.
 */
function restless(workload: Workload, edits: number): Workload {
  return {
    ...workload,
    async run(user: User) {
      await workload.run(user);
      if (workload.hasNoPool === true) return;
      const isOver = (): boolean => user.hasDeleted(MachinePool, "p1");
      const chance = seeded(edits, `edits of ${workload.number}`);
      for (let edit = 0; edit < EDITS && !isOver(); edit += 1) {
        await user.rest(MINUTE + chance.below(4 * MINUTE));
        const replicas = 1 + chance.below(6);
        await (workload.scale ?? scale)(user, replicas);
        await user.until(() => hasNodes(user, replicas));
      }
    },
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
  const violation = `repeat: two runs of seed ${options.seed} have hashes ${result.hash} and ${again.hash}`;
  return { ...result, violations: [violation, ...result.violations] };
}
