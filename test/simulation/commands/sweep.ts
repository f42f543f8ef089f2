import { Command } from "commander";
import { formatTable } from "../../../infra/platform/terminal/table.ts";
import { writeResults } from "../../bench/results.ts";
import { createCoverage } from "../play/coverage.ts";
import { playAll } from "../play/crew.ts";
import { createReferences } from "../play/player.ts";
import { prepare } from "../play/prepared.ts";
import { SWEPT, sweepJobs } from "../play/sweep.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import { count, faultOption, whole, workloadOption } from "./options.ts";
import { createProgress } from "./progress.ts";

interface Options {
  readonly workload?: readonly string[];
  readonly seed: number;
  readonly fault?: readonly string[];
  readonly every: number;
  readonly report: boolean;
}

interface Swept {
  readonly workload: string;
  readonly sites: number;
  readonly effective: number;
  readonly failures: readonly string[];
}

/**
 * `npm run simulate -- sweep`: every single fault at every site; exit code 1 when something was violated, and for a report
 * also when an oracle never had anything to check.
 */
export function sweepCommand(): Command {
  return new Command("sweep")
    .description("every single fault at every site of a workload, or of all")
    .addOption(workloadOption("--workload <number...>", "all"))
    .option("--seed <number>", "of the order of events", whole, 1)
    .addOption(faultOption("these classes; default: those of a sweep"))
    .option("--every <n>", "only every n-th site", count, 1)
    .option("--report", "write test/bench/results/simulation-sweep.json", false)
    .action(async ({ workload, seed, fault: faults, every, report }: Options) => {
      const referenceOf = createReferences(await prepare());
      const chosen = workload?.map(workloadOf) ?? WORKLOADS;
      const coverage = createCoverage({
        workloads: chosen.map(({ number }) => number),
        faults: faults ?? SWEPT,
      });
      const swept: Swept[] = [];
      for (const each of chosen) {
        const jobs = await sweepJobs({ workload: each, referenceOf, seed, faults, every });
        const progress = createProgress(`${each.number}: sites`, jobs.length);
        const failures: string[] = [];
        let effective = 0;
        await playAll(jobs, (played) => {
          coverage.note(played);
          effective += played.isEffective === true ? 1 : 0;
          const { planned } = played.job;
          if (played.violations.length > 0)
            failures.push(`${planned?.fault} at ${planned?.at}: ${played.violations[0]}`);
          progress.advance(failures.length);
        });
        for (const failure of failures) console.log(`${each.number} ${failure}`);
        swept.push({ workload: each.number, sites: jobs.length, effective, failures });
      }
      for (const line of coverage.lines()) console.log(line);
      const header = ["WORKLOAD", "SITES", "EFFECTIVE", "FAILED"];
      console.log(formatTable(header, swept.map(rowOf)));
      const { classes, evaluated, gaps } = coverage;
      if (report) await writeResults("simulation-sweep", { seed, swept, classes, evaluated, gaps });
      const hasFailed = swept.some(({ failures }) => failures.length > 0);
      process.exitCode = hasFailed || (report && gaps.never.length > 0) ? 1 : 0;
    });
}

function rowOf({ workload, sites, effective, failures }: Swept): readonly string[] {
  return [workload, `${sites}`, `${effective}`, `${failures.length}`];
}
