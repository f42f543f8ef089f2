import { FAULTS } from "../faults/known.ts";
import type { Workload } from "../workloads/workload.ts";
import type { PlannedFault } from "./plan.ts";
import type { Job, ReferenceOf } from "./player.ts";
import type { RunResult } from "./run.ts";

export interface SweepOptions {
  readonly workload: Workload;
  readonly referenceOf: ReferenceOf;
  readonly seed: number;
  /** Only these classes; absent = `SWEPT`. */
  readonly faults?: readonly string[] | undefined;
  /** Only every so many-th site; default 1: nothing is sampled. */
  readonly every?: number | undefined;
}

/** Every single fault at every site: a run without faults lists the sites; one job for each. */
export async function sweepJobs(options: SweepOptions): Promise<readonly Job[]> {
  const { workload, referenceOf, seed, faults, every = 1 } = options;
  const reference = await referenceOf(workload.number, seed);
  return plansOf(reference, faults)
    .filter((_, index) => index % every === 0)
    .map((planned) => ({ workload: workload.number, seed, planned }));
}

/**
 * Plans of a sweep: crashes, answers and wipes at every write, lost and doubled notifications, every pair of
 * notifications of which the later takes back the earlier, every delivery. Further ones of the swarm can be chosen by
 * name.
 */
export const SWEPT: readonly string[] = [
  ...["X-01", "X-02", "X-20", "X-22", "X-23", "X-24", "X-25", "X-26"],
  ...["X-11", "X-14", "X-12"],
  ...["X-03", "X-30", "X-31", "X-32"],
  ...["X-35", "X-36", "X-06"],
];

/** Plan of a sweep, class by class. */
export function plansOf(
  { sites }: Pick<RunResult, "sites">,
  faults: readonly string[] = SWEPT,
): readonly PlannedFault[] {
  return FAULTS.filter(({ number }) => faults.includes(number)).flatMap(({ number }) =>
    sites.filter(({ fault }) => fault === number),
  );
}
