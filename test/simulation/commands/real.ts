import { Command, Option } from "commander";
import { writeResults } from "../../bench/results.ts";
import { EMBEDDED, REAL, type ServerFlavour } from "../../support/processes/api-servers.ts";
import { redisMissing } from "../../support/processes/redis-server.ts";
import { type Ending, type Played, play, playUndisturbed } from "../real/play.ts";
import type { Scenario } from "../real/scenario.ts";
import { SCENARIOS } from "../real/scenarios.ts";
import { count } from "./options.ts";

interface Options {
  readonly repetitions: number;
  readonly atOnce: number;
  readonly only?: readonly string[];
  readonly embedded: boolean;
  readonly report: boolean;
}

/** `npm run simulate -- real`: every scenario with real processes, one line each; exit code 1 when one failed. */
export function realCommand(): Command {
  return new Command("real")
    .description("kill, freeze and cut off real processes; needs redis-server and KUBEBUILDER_ASSETS")
    .option("--repetitions <count>", "of every scenario", count, 1)
    .option("--at-once <count>", "scenarios beside each other: most of their time they wait", count, 2)
    .addOption(
      new Option("--only <scenario...>", "by number").choices(SCENARIOS.map((_, index) => `${index + 1}`)),
    )
    .option("--embedded", "on the embedded API server instead of a real one", false)
    .option("--report", "write test/bench/results/real-processes.json", false)
    .action(async ({ repetitions, atOnce, only, embedded, report }: Options) => {
      const server = embedded ? EMBEDDED : REAL;
      const missing = redisMissing() ?? server.missing;
      if (missing !== undefined) throw new Error(missing);
      const outcomes: Outcome[] = [];
      const chosen = numbered(only);
      const undisturbed = await endingsOf(chosen, server);
      const open = Array.from({ length: repetitions }, () => chosen).flat();
      const work = async (): Promise<void> => {
        for (let next = open.shift(); next !== undefined; next = open.shift()) {
          const { number, scenario } = next;
          const expected = undisturbed.get(scenario.workload) as Ending;
          const played = await play(scenario, server, expected).catch(broken);
          const outcome = { number, title: scenario.title, ...played };
          outcomes.push(outcome);
          printOutcome(outcome);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      outcomes.sort((one, other) => one.number - other.number);
      const failed = outcomes.filter(({ violations }) => violations.length > 0);
      console.log(`${outcomes.length} runs on ${server.name}, ${failed.length} failed`);
      if (report) await writeResults("real-processes", { server: server.name, repetitions, outcomes });
      process.exitCode = failed.length > 0 ? 1 : 0;
    });
}

interface Outcome extends Played {
  readonly number: number;
  readonly title: string;
}

interface Numbered {
  readonly number: number;
  readonly scenario: Scenario;
}

function numbered(only: readonly string[] | undefined): readonly Numbered[] {
  const all = SCENARIOS.map((scenario, index) => ({ number: index + 1, scenario }));
  return all.filter(({ number }) => only?.includes(`${number}`) ?? true);
}

/** Returns the end of every workload without faults. */
async function endingsOf(chosen: readonly Numbered[], server: ServerFlavour) {
  const endings = new Map<string, Ending>();
  for (const workload of new Set(chosen.map(({ scenario }) => scenario.workload)))
    endings.set(workload, await playUndisturbed(workload, server));
  return endings;
}

/** One stage that breaks down ends no other. */
function broken(error: unknown): Played {
  return { violations: [`the stage broke down: ${String(error)}`], recoveredAfterMs: 0 };
}

function printOutcome({ number, title, violations, recoveredAfterMs }: Outcome): void {
  console.log(`${String(number).padStart(2)}  ${title}: as without it after ${recoveredAfterMs / 1_000} s`);
  for (const violation of violations) console.log(`    ${violation}`);
}
