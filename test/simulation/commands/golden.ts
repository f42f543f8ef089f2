import { Command } from "commander";
import {
  type Examples,
  goldenDiff,
  playGolden,
  readExamples,
  readGolden,
  writeExamples,
  writeGolden,
} from "../golden/golden.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { WORKLOADS, workloadOf } from "../workloads/known.ts";
import type { Workload } from "../workloads/workload.ts";
import { workloadOption } from "./options.ts";

interface Options {
  readonly workload?: readonly string[];
  readonly renew: boolean;
}

/** `npm run simulate -- golden`: exit code 1 when a workload without faults is not what was reviewed. */
export function goldenCommand(): Command {
  return new Command("golden")
    .description("every workload without faults, against the committed stories")
    .addOption(workloadOption("--workload <number...>", "all"))
    .option("--renew", "write the stories; review their diff before you commit them", false)
    .action(async ({ workload, renew }: Options) => {
      const prepared = await prepare();
      // Examples that no story needs any more go when all stories are written again.
      const known = renew && workload === undefined ? [] : await readExamples();
      const examples = { examples: known, mayAdd: renew };
      for (const each of workload?.map(workloadOf) ?? WORKLOADS)
        if (!(await check(each, prepared, examples))) process.exitCode = 1;
      if (renew) await writeExamples(known);
    });
}

/** Whether the workload is as reviewed, or is from now on. */
async function check(workload: Workload, prepared: Prepared, examples: Examples): Promise<boolean> {
  const { mayAdd: renew } = examples;
  const { text, violations } = await playGolden(workload, prepared, { examples });
  const lines = goldenDiff(await readGolden(workload), text);
  for (const line of [...violations, ...lines]) console.log(line);
  console.log(`${workload.number} ${verdict(lines.length > 0, renew)}`);
  if (violations.length > 0) return false;
  if (renew) await writeGolden(workload, text);
  return renew || lines.length === 0;
}

function verdict(isChanged: boolean, renew: boolean): string {
  if (!isChanged) return "as reviewed";
  return renew ? "renewed" : "not as reviewed: mend it, or run it with --renew and review the diff";
}
