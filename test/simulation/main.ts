import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import { createCoverage } from "./coverage.ts";
import { defectsCommand } from "./defects/command.ts";
import { exhaustiveCommand } from "./exhaustive/command.ts";
import { prepare } from "./prepared.ts";
import { realCommand } from "./real/command.ts";
import { writeRegression } from "./regression.ts";
import type { RunResult } from "./run.ts";
import { shrink } from "./shrink.ts";
import { storyPage } from "./story-page.ts";
import { HOUR_MS, runSeed, seedOptions, swarm } from "./swarm.ts";
import { sweep } from "./sweep.ts";
import { WORKLOADS, workloadOf } from "./workloads/known.ts";
import type { Workload } from "./workloads/workload.ts";

/*
 * npm run simulate -- --seed 7 --workload W-01        one seed of the swarm
 * npm run simulate -- sweep --workload W-01           every single fault at every site
 * npm run simulate -- swarm --seeds 2000              random faults
 * npm run simulate -- explain 7 --workload W-01       the trace of a seed, with --html FILE as a page
 * npm run simulate -- defects --seeds 20              looks for defects made on purpose
 * npm run simulate -- exhaustive                      every order of the steps of small worlds
 * npm run simulate -- real                            real processes, real kills
 */
const program = new Command("simulate").description("The whole product in one thread, on simulated time.");

program
  .option("--seed <number>", "seed of the swarm", whole, 1)
  .option("--workload <number>", "W-01, W-02, …; default: the one whose turn it is")
  .action(async ({ seed, workload }: { readonly seed: number; readonly workload?: string }) => {
    const { result } = await playSeed(seed, workload, false);
    tell(result);
    process.exitCode = result.violations.length > 0 ? 1 : 0;
  });

program
  .command("explain <seed>")
  .description("print the trace of a seed")
  .option("--html <file>", "write it as a page, too: one lane per process on one time line")
  .action(async (text: string, { html }: { readonly html?: string }) => {
    const { workload } = program.opts<{ readonly workload?: string }>();
    const { workload: played, result } = await playSeed(whole(text), workload, true);
    for (const line of result.trace) console.log(line);
    if (html !== undefined) await writeFile(html, storyPage(`seed ${text} ${played.number}`, result.trace));
    tell(result);
  });

program
  .command("sweep")
  .description("every single fault at every site of a workload, or of all")
  .option("--fault <number...>", "these classes: X-01, X-02, …; default: those of 6.4")
  .option("--every <n>", "only every n-th site", whole, 1)
  .action(async ({ fault, every }: { readonly fault?: string[]; readonly every: number }) => {
    const { workload, seed } = program.opts<{ readonly workload?: string; readonly seed: number }>();
    const prepared = await prepare();
    const failures: string[] = [];
    const coverage = createCoverage();
    let runs = 0;
    for (const each of workload === undefined ? WORKLOADS : [workloadOf(workload)]) {
      for await (const { planned, isEffective, result } of sweep({
        workload: each,
        prepared,
        seed,
        faults: fault,
        every,
      })) {
        runs += 1;
        coverage.note(result.struck, isEffective);
        coverage.noteChecks(result.evaluations);
        if (result.violations.length === 0) continue;
        failures.push(`${each.number} ${planned.fault} at ${planned.at}: ${result.violations[0]}`);
        console.log(failures.at(-1));
      }
    }
    for (const line of coverage.lines()) console.log(line);
    console.log(`${runs} runs, ${failures.length} failed`);
    process.exitCode = failures.length > 0 ? 1 : 0;
  });

program
  .command("swarm")
  .description("random faults for one simulated hour per seed")
  .option("--seeds <count>", "how many", whole, 100)
  .option("--first <seed>", "the first", whole, 1)
  .option("--fault <number...>", "only these classes, in every seed")
  .action(async ({ seeds, first, fault }: SwarmFlags) => {
    const { workload } = program.opts<{ readonly workload?: string }>();
    const workloads = workload === undefined ? WORKLOADS : [workloadOf(workload)];
    const prepared = await prepare();
    const startedAt = performance.now();
    const coverage = createCoverage();
    let [failed, struck] = [0, 0];
    for await (const run of swarm({ workloads, prepared, firstSeed: first, seeds, faults: fault })) {
      struck += run.result.struck.length;
      coverage.note(run.result.struck);
      coverage.noteChecks(run.result.evaluations);
      if (run.result.violations.length === 0) continue;
      failed += 1;
      console.log(`seed ${run.seed} ${run.workload.number}: ${run.result.violations[0]}`);
      console.log(`  npm run simulate -- --seed ${run.seed} --workload ${run.workload.number}`);
      await keepShrunk(run.seed, run.workload, prepared, run.result);
    }
    for (const line of coverage.lines()) console.log(line);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${seeds} seeds, ${failed} failed, ${struck} faults, ${seconds} s`);
    process.exitCode = failed > 0 ? 1 : 0;
  });

program.addCommand(realCommand());

program.addCommand(defectsCommand());
program.addCommand(exhaustiveCommand());

await program.parseAsync();

interface SwarmFlags {
  readonly seeds: number;
  readonly first: number;
  readonly fault?: string[];
}

async function playSeed(seed: number, number: string | undefined, keepTrace: boolean) {
  const workload = number === undefined ? WORKLOADS[seed % WORKLOADS.length] : workloadOf(number);
  if (workload === undefined) throw new Error("there are no workloads");
  const prepared = await prepare();
  const options = await seedOptions(seed, workload, prepared);
  return { workload, result: await runSeed({ ...options, keepTrace }) };
}

async function keepShrunk(
  seed: number,
  workload: Workload,
  prepared: Awaited<ReturnType<typeof prepare>>,
  failed: RunResult,
): Promise<void> {
  const { faults, result } = await shrink(await seedOptions(seed, workload, prepared), failed);
  const violated = result.violations[0] ?? "";
  const file = await writeRegression({
    workload: workload.number,
    seed,
    faults,
    faultyMs: HOUR_MS,
    violated,
  });
  console.log(`  ${faults.length} faults are enough, see ${file}`);
}

function tell({ violations, struck, hash, steps, doneAfterMs }: RunResult): void {
  console.log(`trace ${hash}, ${steps} steps, users done after ${doneAfterMs / 1_000} s`);
  console.log(`${struck.length} faults:`);
  for (const { fault, at } of struck) console.log(`  ${fault} ${at}`);
  for (const violation of violations) console.log(violation);
  console.log(violations.length === 0 ? "no violation" : `${violations.length} violations`);
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError("a whole number is needed");
  return value;
}
