import { Command } from "commander";
import { writeResults } from "../../bench/results.ts";
import { FAULTS } from "../faults/known.ts";
import { createCoverage } from "../play/coverage.ts";
import { playAll } from "../play/crew.ts";
import type { Played } from "../play/player.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { writeRegression } from "../play/regression.ts";
import { shrink } from "../play/shrink.ts";
import { HOUR_MS, seedOptions, swarmJobs, TWICE_EVERY } from "../play/swarm.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { count, faultOption, whole, workloadOption } from "./options.ts";
import { createProgress } from "./progress.ts";

interface Options {
  readonly workload?: readonly string[];
  readonly seeds: number;
  readonly first: number;
  readonly fault?: readonly string[];
  readonly report: boolean;
}

const ALL_FAULTS = FAULTS.map(({ number }) => number);

/**
 * `npm run simulate -- swarm`: many random faults; exit code 1 when something was violated, and for a report also when an
 * oracle never had anything to check.
 */
export function swarmCommand(): Command {
  return new Command("swarm")
    .description("random faults for one simulated hour per seed")
    .addOption(workloadOption("--workload <number...>", "all; they take turns"))
    .option("--seeds <count>", "how many", count, 100)
    .option("--first <seed>", "the first", whole, 1)
    .addOption(faultOption("only these classes, in every seed"))
    .option("--report", "write test/bench/results/simulation-swarm.json", false)
    .action(async ({ workload, seeds, first, fault: faults, report }: Options) => {
      const workloads = workload?.map(workloadOf) ?? WORKLOADS;
      const startedAt = performance.now();
      const workloadNumbers = workloads.map(({ number }) => number);
      const coverage = createCoverage({ workloads: workloadNumbers, faults: faults ?? ALL_FAULTS });
      const progress = createProgress("seeds", seeds);
      const failed: Played[] = [];
      let [struck, simulatedMs] = [0, 0];
      await playAll(swarmJobs({ workloads, firstSeed: first, seeds, faults }), (played) => {
        coverage.note(played);
        struck += played.struck.length;
        simulatedMs += played.simulatedMs;
        if (played.violations.length > 0) {
          failed.push(played);
          printPlayed(played);
        }
        progress.advance(failed.length);
      });
      const tookMs = performance.now() - startedAt;
      for (const line of coverage.lines()) console.log(line);
      const hours = Math.round(simulatedMs / HOUR_MS);
      const took = `${(tookMs / 1_000).toFixed(0)} s`;
      console.log(
        `${seeds} seeds, ${failed.length} failed, ${struck} faults, ${hours} simulated hours in ${took}`,
      );
      const failures = failed.map(({ job, violations }) => ({ ...job, violated: violations[0] }));
      const { classes, evaluated, gaps } = coverage;
      const counts = { first, seeds, playedTwice: Math.floor(seeds / TWICE_EVERY), faults: struck, hours };
      if (report)
        await writeResults("simulation-swarm", {
          ...counts,
          workloads: workloadNumbers,
          failures,
          classes,
          evaluated,
          gaps,
        });
      process.exitCode = failed.length > 0 || (report && gaps.never.length > 0) ? 1 : 0;
      if (failed.length === 0) return;
      const prepared = await prepare();
      for (const played of failed) await keepShrunk(played, prepared);
    });
}

/** Why it has failed, and how to play it again. */
function printPlayed({ job: { workload, seed }, violations }: Played): void {
  console.log(`seed ${seed} ${workload}: ${violations[0]}`);
  console.log(`  npm run simulate -- --seed ${seed} --workload ${workload}`);
}

/** Keeps as few of its faults as fail in the same way. */
async function keepShrunk(played: Played, prepared: Prepared): Promise<void> {
  const { workload, seed } = played.job;
  const options = await seedOptions(seed, workloadOf(workload), prepared);
  const { faults, violations } = await shrink(options, played);
  const violated = violations[0] ?? "";
  const file = await writeRegression({ workload, seed, faults, faultyMs: HOUR_MS, violated });
  console.log(`seed ${seed} ${workload}: ${faults.length} faults are enough, see ${file}`);
}
