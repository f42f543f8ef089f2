import { Command } from "commander";
import { formatTable } from "../../../infra/platform/terminal/table.ts";
import { writeResults } from "../../bench/results.ts";
import { DEFECTS } from "../defects/known.ts";
import { createSearcher, type Finding } from "../defects/search.ts";
import { prepare } from "../play/prepared.ts";
import { choice, count } from "./options.ts";

interface Options {
  readonly seeds: number;
  readonly sites: number;
  readonly defect?: readonly string[];
  readonly report: boolean;
}

/** `npm run simulate -- defects`: makes one defect after the other and shows how soon it is found. */
export function defectsCommand(): Command {
  return new Command("defects")
    .description("put a defect into the product and see whether the simulation finds it, one after the other")
    .option("--seeds <count>", "of the swarm, at most, for each", count, 50)
    .option("--sites <count>", "runs of the targeted sweep, at most, for each", count, 40)
    .addOption(choice("--defect <number...>", "only these", DEFECTS))
    .option("--report", "write test/bench/results/seeded-defects.json", false)
    .action(async ({ seeds, sites, defect: numbers, report }: Options) => {
      const searcher = createSearcher(await prepare());
      const findings: Finding[] = [];
      for (const defect of DEFECTS.filter(({ number }) => numbers?.includes(number) ?? true)) {
        findings.push(await searcher.search({ defect, seeds, sites }));
        console.error(lineOf(findings.at(-1) as Finding).join("  "));
      }
      console.log(formatTable(["DEFECT", "SWEEP", "SEEDS", "VIOLATED", "TITLE"], findings.map(lineOf)));
      if (report) await writeResults("seeded-defects", { seeds, sites, findings });
      const isFound = ({ seeds: bySeeds, swept }: Finding): boolean =>
        bySeeds !== undefined || swept !== undefined;
      process.exitCode = findings.every(isFound) ? 0 : 1;
    });
}

function lineOf({ defect, title, seeds, swept, violated }: Finding): readonly string[] {
  const row = violated?.split(":", 1)[0] ?? "not found";
  return [defect, `${swept ?? "-"}`, `${seeds ?? "-"}`, row, title];
}
