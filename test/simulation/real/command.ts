import { Command, InvalidArgumentError } from "commander";
import { redisMissing } from "../../../infra/bench/redis-server.ts";
import { writeResults } from "../../../infra/bench/results.ts";
import { EMBEDDED, REAL, type ServerFlavour } from "../../support/api-servers.ts";
import { type Ending, type Played, play, playUndisturbed } from "./play.ts";
import { SCENARIOS } from "./scenarios.ts";

interface Options {
  readonly repetitions: number;
  readonly only?: readonly number[];
  readonly embedded: boolean;
}

/** `npm run simulate -- real`: every scenario with real processes, one line each; exit code 1 when one failed. */
export function realCommand(): Command {
  return new Command("real")
    .description("kill, freeze and cut off real processes; needs redis-server and KUBEBUILDER_ASSETS")
    .option("--repetitions <count>", "of every scenario", count, 1)
    .option("--only <scenario...>", "by number, from 1", (text, before: number[] = []) => [
      ...before,
      count(text),
    ])
    .option("--embedded", "on the embedded API server instead of a real one", false)
    .action(async ({ repetitions, only, embedded }: Options) => {
      const server = embedded ? EMBEDDED : REAL;
      const missing = redisMissing() ?? server.missing;
      if (missing !== undefined) throw new Error(missing);
      const outcomes: Outcome[] = [];
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        for await (const outcome of playAll(server, only)) {
          outcomes.push(outcome);
          tell(outcome);
        }
      }
      const failed = outcomes.filter(({ violations }) => violations.length > 0);
      console.log(`${outcomes.length} runs on ${server.name}, ${failed.length} failed`);
      if (only === undefined)
        await writeResults("real-processes", { server: server.name, repetitions, outcomes });
      process.exitCode = failed.length > 0 ? 1 : 0;
    });
}

interface Outcome extends Played {
  readonly number: number;
  readonly title: string;
}

async function* playAll(
  server: ServerFlavour,
  only: readonly number[] | undefined,
): AsyncGenerator<Outcome, void> {
  const undisturbed = new Map<string, Ending>();
  for (const [index, scenario] of SCENARIOS.entries()) {
    const { title, workload } = scenario;
    if (only?.includes(index + 1) === false) continue;
    const expected = undisturbed.get(workload) ?? (await playUndisturbed(workload, server));
    undisturbed.set(workload, expected);
    yield { number: index + 1, title, ...(await play(scenario, server, expected)) };
  }
}

function tell({ number, title, violations, recoveredAfterMs }: Outcome): void {
  console.log(`${String(number).padStart(2)}  ${title}: as without it after ${recoveredAfterMs / 1_000} s`);
  for (const violation of violations) console.log(`    ${violation}`);
}

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("a whole number above 0 is needed");
}
