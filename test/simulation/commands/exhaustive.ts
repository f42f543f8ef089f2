import { Command, Option } from "commander";
import { formatTable } from "../../../infra/platform/terminal/table.ts";
import { writeResults } from "../../bench/results.ts";
import { explore, type Progress } from "../exhaustive/explore.ts";
import { SMALL_WORLDS, type SmallWorld } from "../exhaustive/small-world.ts";
import { checkSoundness } from "../exhaustive/soundness.ts";
import { type Prepared, prepare } from "../play/prepared.ts";
import { whole } from "./options.ts";

interface Options {
  readonly states: number;
  readonly only?: readonly string[];
  readonly check: number;
  readonly report: boolean;
}

/** Result of one world. */
interface Played {
  readonly world: string;
  readonly title: string;
  readonly states: number;
  readonly orders: number;
  readonly isComplete: boolean;
  readonly endings: number;
  readonly violations: readonly string[];
  readonly seconds: number;
}

/**
 * `npm run simulate -- exhaustive`: all orders of six small worlds; exit code 1 when one of them is not as it
 * should be.
 */
export function exhaustiveCommand(): Command {
  return new Command("exhaustive")
    .description("try every order of the steps of small worlds")
    .option("--states <count>", "at most, for each world", whole, 20_000)
    .addOption(new Option("--only <name...>", "of the worlds").choices(SMALL_WORLDS.map(({ name }) => name)))
    .option(
      "--check <pairs>",
      "instead: whether states with one fingerprint continue in the same way",
      whole,
      0,
    )
    .option("--report", "write test/bench/results/exhaustive-interleavings.json", false)
    .action(async ({ states, only, check, report }: Options) => {
      const prepared = await prepare();
      const worlds = SMALL_WORLDS.filter(({ name }) => only?.includes(name) ?? true);
      const areRight =
        check > 0
          ? await checkAll(worlds, prepared, { maxStates: states, pairs: check })
          : await playAll(worlds, prepared, states, report);
      process.exitCode = areRight ? 0 : 1;
    });
}

async function playAll(
  worlds: readonly SmallWorld[],
  prepared: Prepared,
  maxStates: number,
  isReported: boolean,
): Promise<boolean> {
  const results: Played[] = [];
  for (const small of worlds) {
    const startedAt = performance.now();
    const onOrder = progressOf(small);
    const { endings, ...found } = await explore({ small, prepared, maxStates, onOrder });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    results.push({ world: small.name, title: small.title, ...found, endings: endings.length, seconds });
    for (const violation of found.violations) console.log(`${small.name}: ${violation}`);
  }
  const header = ["WORLD", "STATES", "ORDERS", "COMPLETE", "ENDINGS", "VIOLATIONS", "SECONDS"];
  const rows = results.map(({ world, states, orders, isComplete, endings, violations, seconds }) =>
    [world, states, orders, isComplete, endings, violations.length, seconds].map(String),
  );
  console.log(formatTable(header, rows));
  if (isReported) await writeResults("exhaustive-interleavings", { worlds: results });
  return results.every(
    ({ isComplete, endings, violations }) => isComplete && endings === 1 && violations.length === 0,
  );
}

async function checkAll(
  worlds: readonly SmallWorld[],
  prepared: Prepared,
  how: { readonly maxStates: number; readonly pairs: number },
): Promise<boolean> {
  const rows: string[][] = [];
  let areRight = true;
  for (const small of worlds) {
    const { twins, swaps, differences } = await checkSoundness({ small, prepared, ...how });
    rows.push([small.name, `${twins}`, `${swaps}`, `${differences.length}`]);
    for (const difference of differences) console.log(`${small.name}: ${difference}`);
    areRight &&= differences.length === 0;
  }
  console.log(formatTable(["WORLD", "TWINS", "SWAPS", "DIFFERENCES"], rows));
  return areRight;
}

const EVERY_MS = 500;

/** One line on a terminal that says how far a world is. */
function progressOf({ name }: SmallWorld): (progress: Progress) => void {
  let reportedAt = performance.now();
  return ({ states, orders, open }) => {
    if (!process.stderr.isTTY || (open > 0 && performance.now() - reportedAt < EVERY_MS)) return;
    reportedAt = performance.now();
    const text = open === 0 ? "" : `${name}: ${states} states, ${orders} orders, ${open} open`;
    process.stderr.write(`\r\u001b[K${text}`);
  };
}
