import { Command, InvalidArgumentError } from "commander";
import { FAULTS } from "../faults/known.ts";
import { prepare } from "../play/prepared.ts";
import type { RunResult } from "../play/run.ts";
import { runSeed, seedOptions, workloadOfSeed } from "../play/swarm.ts";
import { type Choice, chosen } from "../story/choice.ts";
import { parseTime, type StoryLine, storyOf, timeOf } from "../story/lines.ts";
import { learnNames } from "../story/names.ts";
import { whole, workloadOption } from "./options.ts";
import { printResult } from "./print-result.ts";

interface Options {
  readonly workload?: string;
  readonly all: boolean;
  readonly key?: string;
  readonly from?: number;
  readonly to?: number;
}

/** `npm run simulate -- explain`: what happened in a seed of the swarm, so that a person can follow it. */
export function explainCommand(): Command {
  return new Command("explain")
    .argument("<seed>", "of the swarm", whole)
    .description(
      "show the story of a seed: faults, writes, ends of runs, violations and what led to the first",
    )
    .addOption(workloadOption("--workload <number>", "the one whose turn it is"))
    .option("--all", "every line", false)
    .option("--key <object>", "only what names it, but all of that: p1, default/p1, or a key of the queue")
    .option("--from <time>", "not before 1:02:03.5 (hours, minutes, seconds) of simulated time", time)
    .option("--to <time>", "not after", time)
    .action(async (seed: number, { workload, ...options }: Options) => {
      const names = learnNames();
      const played = workloadOfSeed(seed, workload);
      const prepared = await seedOptions(seed, played, await prepare());
      const result = await runSeed({ ...prepared, keepTrace: true, onlooker: names.onlooker });
      const titles = new Map(FAULTS.map(({ number, title }) => [number, title]));
      const lines = storyOf(result.trace, names, titles);
      printStory(lines, { ...options, fromMs: options.from, toMs: options.to }, result);
    });
}

function printStory(lines: readonly StoryLine[], choice: Choice, result: RunResult): void {
  const reported = chosen(lines, choice);
  for (const { atMs, lane = "-", kind, text } of reported)
    console.log(`${timeOf(atMs)} ${lane} ${kind} ${choice.all === true ? text : shortened(text)}`);
  console.log(
    `${reported.length} of ${lines.length} lines; --all shows every line, --key what names an object`,
  );
  printResult(result);
}

const SHOWN = 300;

/** Bodies may be long, and mostly their beginning is enough. */
function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length - SHOWN} more characters)`;
}

function time(text: string): number {
  const ms = parseTime(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError("a time such as 1:02:03.5, 2:03 or 3.5 is needed");
}
