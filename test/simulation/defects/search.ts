import { LISTED_SITES, NO_FAULTS, type Plan, randomPlan } from "../play/plan.ts";
import type { Prepared } from "../play/prepared.ts";
import { type RunOptions, type RunResult, runOnce } from "../play/run.ts";
import { HOUR_MS, type SeedOptions, seedOptions, workloadOfSeed } from "../play/swarm.ts";
import { plansOf } from "../play/sweep.ts";
import { workloadOf } from "../workloads/known.ts";
import type { Defect } from "./defect.ts";

/** How a defect was found, or that it was not. */
export interface Finding {
  readonly defect: string;
  readonly title: string;
  /** Of the swarm, from 1; undefined: none of them has found it. */
  readonly seeds: number | undefined;
  /** Runs of the targeted sweep, the one without faults first; undefined: none of them has found it. */
  readonly swept: number | undefined;
  /** First violation: of the swarm if that has found it. */
  readonly violated: string | undefined;
}

interface SearchOptions {
  readonly defect: Defect;
  /** Of the swarm, at most. */
  readonly seeds: number;
  /** Runs of the targeted sweep, at most. */
  readonly sites: number;
}

type Game = Omit<RunOptions, "plan" | "defect">;

/** Looks for defects; what it has played without any defect it plays only once. */
export interface Searcher {
  /** With the sweep of its target, and with the swarm. Violations that occur without the defect, too, do not count. */
  search(options: SearchOptions): Promise<Finding>;
}

export function createSearcher(prepared: Prepared): Searcher {
  const seeds = new Map<number, SeedOptions>();
  const references = new Map<string, RunResult>();
  const sound = new Map<string, boolean>();

  const seedOf = async (seed: number): Promise<SeedOptions> => {
    const known = seeds.get(seed) ?? (await seedOptions(seed, workloadOfSeed(seed), prepared));
    seeds.set(seed, known);
    return known;
  };
  const referenceOf = async (number: string): Promise<RunResult> => {
    const workload = workloadOf(number);
    const known =
      references.get(number) ?? (await runOnce({ seed: 1, workload, prepared, plan: LISTED_SITES }));
    references.set(number, known);
    return known;
  };
  const isSound = async (game: Game, plan: Plan): Promise<boolean> => {
    const name = `${game.workload.number} ${game.seed} ${JSON.stringify(plan)}`;
    const known = sound.get(name) ?? (await runOnce({ ...game, plan })).violations.length === 0;
    sound.set(name, known);
    return known;
  };
  /** Returns the violations under a plan that the defect causes. */
  const caused = async (defect: Defect, game: Game, plan: Plan): Promise<string | undefined> => {
    const [violated] = (await runOnce({ ...game, plan, defect })).violations;
    return violated !== undefined && (await isSound(game, plan)) ? violated : undefined;
  };

  async function* sweepOf({ defect, sites }: SearchOptions) {
    const { workload: number, faults, isTogether = false } = defect.target;
    const reference = await referenceOf(number);
    const game: Game = { seed: 1, workload: workloadOf(number), prepared, reference };
    yield caused(defect, game, NO_FAULTS);
    if (isTogether)
      for (let seed = 1; seed <= sites; seed += 1)
        yield caused(defect, { ...game, seed }, randomPlan(seed, faults));
    for (const planned of isTogether ? [] : plansOf(reference, faults).slice(0, sites))
      yield caused(defect, game, { type: "named", faults: [planned] });
  }
  async function* swarmOf({ defect, seeds: most }: SearchOptions) {
    for (let seed = 1; seed <= most; seed += 1)
      yield caused(defect, { ...(await seedOf(seed)), faultyMs: HOUR_MS }, randomPlan(seed));
  }

  return {
    async search(options) {
      const { number: defect, title } = options.defect;
      const swept = await firstOf(sweepOf(options));
      const swarmed = await firstOf(swarmOf(options));
      const violated = (swarmed ?? swept)?.violated;
      return { defect, title, seeds: swarmed?.after, swept: swept?.after, violated };
    },
  };
}

async function firstOf(
  violations: AsyncGenerator<string | undefined>,
): Promise<{ readonly after: number; readonly violated: string } | undefined> {
  let after = 0;
  for await (const violated of violations) {
    after += 1;
    if (violated !== undefined) return { after, violated };
  }
  return undefined;
}
