import { FAULTS } from "./faults/known.ts";
import { NO_FAULTS, type PlannedFault } from "./plan.ts";
import type { Prepared } from "./prepared.ts";
import { type RunResult, runOnce } from "./run.ts";
import type { Workload } from "./workloads/workload.ts";

export interface SweepOptions {
  readonly workload: Workload;
  readonly prepared: Prepared;
  readonly seed: number;
  /** Only these classes; absent = all. */
  readonly faults?: readonly string[] | undefined;
  /** Only every so many-th site; default 1: nothing is sampled. */
  readonly every?: number | undefined;
}

export interface SweptRun {
  readonly planned: PlannedFault;
  readonly result: RunResult;
}

/** Every single fault at every site (6.4): a run without faults lists the sites, then one run for each. */
export async function* sweep(options: SweepOptions): AsyncGenerator<SweptRun> {
  const { workload, prepared, seed, every = 1 } = options;
  const reference = await runOnce({ seed, workload, prepared, plan: NO_FAULTS });
  for (const planned of plansOf(reference, options.faults, every)) {
    const plan = { type: "named", faults: [planned] } as const;
    yield { planned, result: await runOnce({ seed, workload, prepared, plan, reference }) };
  }
}

/** What a sweep will do. */
function plansOf(
  { sites }: Pick<RunResult, "sites">,
  faults: readonly string[] | undefined,
  every: number,
): readonly PlannedFault[] {
  return FAULTS.filter(({ number }) => faults?.includes(number) ?? true).flatMap(({ number }) =>
    sites.filter(({ fault }) => fault === number).filter((_, index) => index % every === 0),
  );
}
