import { workloadOf } from "../workloads/known.ts";
import { LISTED_SITES, type PlannedFault } from "./plan.ts";
import type { Prepared } from "./prepared.ts";
import { type RunResult, runOnce } from "./run.ts";
import { runSeed, type SeedOptions, seedOptions, seriesOf } from "./swarm.ts";

/** One run, small enough to be sent to another process: a seed of the swarm, or one fault of the sweep. */
export interface Job {
  /** `W-01`. */
  readonly workload: string;
  readonly seed: number;
  /** Of the sweep: this one, against the same seed without any. */
  readonly planned?: PlannedFault;
  /** Of the swarm: only these classes; absent: a random choice. */
  readonly faults?: readonly string[] | undefined;
}

/** Result of a job. */
export interface Played
  extends Pick<RunResult, "hash" | "simulatedMs" | "struck" | "evaluations" | "violations"> {
  readonly job: Job;
  /** Something went another way than without the fault; of the sweep only. */
  readonly isEffective?: boolean;
}

/** A run without faults, which lists the sites of all. */
export type ReferenceOf = (workload: string, seed: number) => Promise<RunResult>;

/** Each is played once. */
export function createReferences(prepared: Prepared): ReferenceOf {
  const references = new Map<string, Promise<RunResult>>();
  return (workload, seed) =>
    known(references, `${workload} ${seed}`, () =>
      runOnce({ seed, workload: workloadOf(workload), prepared, plan: LISTED_SITES }),
    );
}

/** Plays jobs one after the other. Their reference is played once per workload and series of edits. */
export function createPlayer(
  prepared: Prepared,
  referenceOf: ReferenceOf = createReferences(prepared),
): (job: Job) => Promise<Played> {
  const series = new Map<string, Promise<SeedOptions>>();

  const playSeed = async ({ workload: number, seed, faults }: Job): Promise<RunResult> => {
    const workload = workloadOf(number);
    const options = await known(series, `${number} ${seriesOf(workload, seed)}`, () =>
      seedOptions(seed, workload, prepared),
    );
    return runSeed({ ...options, seed, faults });
  };
  const playSite = async (job: Job, planned: PlannedFault) => {
    const game = { seed: job.seed, workload: workloadOf(job.workload), prepared };
    const reference = await referenceOf(job.workload, job.seed);
    const result = await runOnce({ ...game, plan: { type: "named", faults: [planned] }, reference });
    return { result, isEffective: result.hash !== reference.hash };
  };
  const summary = ({ hash, simulatedMs, struck, evaluations, violations }: RunResult) => {
    return { hash, simulatedMs, struck, evaluations, violations };
  };
  return async (job) => {
    if (job.planned === undefined) return { job, ...summary(await playSeed(job)) };
    const { result, isEffective } = await playSite(job, job.planned);
    return { job, ...summary(result), isEffective };
  };
}

function known<T>(all: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const made = all.get(name) ?? make();
  all.set(name, made);
  return made;
}
