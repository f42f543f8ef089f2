import { Command } from "commander";
import { defectsCommand } from "./commands/defects.ts";
import { exhaustiveCommand } from "./commands/exhaustive.ts";
import { explainCommand } from "./commands/explain.ts";
import { goldenCommand } from "./commands/golden.ts";
import { whole, workloadOption } from "./commands/options.ts";
import { printResult } from "./commands/print-result.ts";
import { realCommand } from "./commands/real.ts";
import { swarmCommand } from "./commands/swarm.ts";
import { sweepCommand } from "./commands/sweep.ts";
import { prepare } from "./play/prepared.ts";
import { runSeed, seedOptions, workloadOfSeed } from "./play/swarm.ts";

/*
 * npm run simulate -- --seed 7 --workload W-01        one seed of the swarm
 * npm run simulate -- sweep --workload W-01           every single fault at every site
 * npm run simulate -- swarm --seeds 2000              random faults
 * npm run simulate -- explain 7 --workload W-01       what happened in a seed
 * npm run simulate -- golden                          every workload without faults, against the committed stories
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
    const played = workloadOfSeed(seed, workload);
    const result = await runSeed(await seedOptions(seed, played, await prepare()));
    printResult(result);
    process.exitCode = result.violations.length > 0 ? 1 : 0;
  });

program.addCommand(explainCommand());
program.addCommand(sweepCommand());
program.addCommand(swarmCommand());
program.addCommand(goldenCommand());
program.addCommand(defectsCommand());
program.addCommand(exhaustiveCommand());
program.addCommand(realCommand());

await program.parseAsync();
