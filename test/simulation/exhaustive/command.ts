import { Command } from "commander";
import { writeResults } from "../../../infra/bench/results.ts";
import { formatTable } from "../../../infra/cli/table.ts";
import { prepare } from "../prepared.ts";
import { type Explored, explore } from "./explore.ts";
import { SMALL_WORLDS } from "./small-world.ts";

interface Options {
  readonly states: string;
  readonly only?: readonly string[];
}

/** `npm run simulate -- exhaustive`: all orders of six small worlds; exit code 1 when one of them is not as it should be. */
export function exhaustiveCommand(): Command {
  return new Command("exhaustive")
    .description("try every order of the steps of small worlds")
    .option("--states <count>", "at most, for each world", "20000")
    .option("--only <name...>", SMALL_WORLDS.map(({ name }) => name).join(", "))
    .action(async ({ states, only }: Options) => {
      const prepared = await prepare();
      const results: (Omit<Explored, "endings"> & { readonly world: string; readonly endings: number })[] =
        [];
      for (const small of SMALL_WORLDS.filter(({ name }) => only?.includes(name) ?? true)) {
        const { endings, ...found } = await explore(small, prepared, Number(states));
        results.push({ world: small.name, ...found, endings: endings.length });
        for (const violation of found.violations) console.log(`${small.name}: ${violation}`);
      }
      const header = ["WORLD", "STATES", "ORDERS", "COMPLETE", "ENDINGS", "VIOLATIONS"];
      const rows = results.map((one) => [
        one.world,
        `${one.states}`,
        `${one.orders}`,
        `${one.isComplete}`,
        `${one.endings}`,
        `${one.violations.length}`,
      ]);
      console.log(formatTable(header, rows));
      if (only === undefined) await writeResults("exhaustive-interleavings", { worlds: results });
      const isRight = ({ isComplete, endings, violations }: (typeof results)[number]): boolean =>
        isComplete && endings === 1 && violations.length === 0;
      process.exitCode = results.every(isRight) ? 0 : 1;
    });
}
