import { writeFile } from "node:fs/promises";
import { Command } from "commander";
import { defectsCommand } from "./defects/command.ts";
import { exhaustiveCommand } from "./exhaustive/command.ts";
import { goldenCommand } from "./golden/command.ts";
import { whole, workloadOption } from "./options.ts";
import { prepare } from "./prepared.ts";
import { realCommand } from "./real/command.ts";
import type { RunResult } from "./run.ts";
import { storyPage } from "./story-page.ts";
import { runSeed, seedOptions } from "./swarm.ts";
import { swarmCommand } from "./swarm-command.ts";
import { sweepCommand } from "./sweep-command.ts";
import { WORKLOADS, workloadOf } from "./workloads/known.ts";

/*
 * npm run simulate -- --seed 7 --workload W-01        one seed of the swarm
 * npm run simulate -- sweep --workload W-01           every single fault at every site
 * npm run simulate -- swarm --seeds 2000              random faults
 * npm run simulate -- explain 7 --workload W-01       the trace of a seed, with --html FILE as a page
 * npm run simulate -- golden                          every workload without faults, against the committed references
 * npm run simulate -- defects --seeds 50              looks for defects made on purpose
 * npm run simulate -- exhaustive                      every order of the steps of small worlds
 * npm run simulate -- real                            real processes, real kills
 */
const program = new Command("simulate")
  .description("The whole product in one thread, on simulated time.")
  .enablePositionalOptions();

const WORKLOAD = workloadOption("--workload <number>", "the one whose turn it is");

program
  .option("--seed <number>", "seed of the swarm", whole, 1)
  .addOption(WORKLOAD)
  .action(async ({ seed, workload }: { readonly seed: number; readonly workload?: string }) => {
    const { result } = await playSeed(seed, workload, false);
    tell(result);
    process.exitCode = result.violations.length > 0 ? 1 : 0;
  });

program
  .command("explain")
  .argument("<seed>", "of the swarm", whole)
  .description("print the trace of a seed")
  .addOption(WORKLOAD)
  .option("--html <file>", "write it as a page, too: one lane per process on one time line")
  .action(
    async (seed: number, { html, workload }: { readonly html?: string; readonly workload?: string }) => {
      const { workload: played, result } = await playSeed(seed, workload, true);
      for (const line of result.trace) console.log(line);
      if (html !== undefined) await writeFile(html, storyPage(`seed ${seed} ${played.number}`, result.trace));
      tell(result);
    },
  );

program.addCommand(sweepCommand());
program.addCommand(swarmCommand());
program.addCommand(goldenCommand());
program.addCommand(defectsCommand());
program.addCommand(exhaustiveCommand());
program.addCommand(realCommand());

await program.parseAsync();

async function playSeed(seed: number, number: string | undefined, keepTrace: boolean) {
  const workload = number === undefined ? WORKLOADS[seed % WORKLOADS.length] : workloadOf(number);
  if (workload === undefined) throw new Error("there are no workloads");
  const prepared = await prepare();
  const options = await seedOptions(seed, workload, prepared);
  return { workload, result: await runSeed({ ...options, keepTrace }) };
}

function tell({ violations, struck, hash, steps, doneAfterMs }: RunResult): void {
  console.log(`trace ${hash}, ${steps} steps, users done after ${doneAfterMs / 1_000} s`);
  console.log(`${struck.length} faults:`);
  for (const { fault, at } of struck) console.log(`  ${fault} ${at}`);
  for (const violation of violations) console.log(violation);
  console.log(violations.length === 0 ? "no violation" : `${violations.length} violations`);
}
