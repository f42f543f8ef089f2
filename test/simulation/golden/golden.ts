import { mkdir, readFile, writeFile } from "node:fs/promises";
import { diff } from "node:util";
import { NO_FAULTS } from "../play/plan.ts";
import type { Prepared } from "../play/prepared.ts";
import { runOnce } from "../play/run.ts";
import { objectsIn, withSteadyNames } from "../play/state.ts";
import type { World } from "../play/world.ts";
import type { Workload } from "../workloads/workload.ts";
import { goldenText } from "./document.ts";
import { type Tally, tallyOf } from "./tally.ts";

/** End of one workload. */
export interface GoldenRun {
  readonly text: string;
  readonly violations: readonly string[];
}

/**
 * Plays a workload without faults and without chance. F-01 compares runs of the product with each other; this text is
 * compared with one that a person has reviewed, so that a defect which is always there shows, too.
 */
export async function playGolden(workload: Workload, prepared: Prepared): Promise<GoldenRun> {
  let tally: Tally | undefined;
  let text = "";
  const onlooker = {
    begin: (world: World): void => {
      tally = tallyOf(world);
    },
    end: async (world: World): Promise<void> => {
      if (tally !== undefined) text = goldenText(workload, tally, withSteadyNames(await objectsIn(world)));
    },
  };
  const game = { seed: 1, workload, prepared, plan: NO_FAULTS };
  const { violations } = await runOnce({ ...game, isSteady: true, onlooker });
  return { text, violations };
}

const FOLDER = new URL("references/", import.meta.url);

/** The committed reference; empty while it is missing. */
export async function readGolden({ number }: Workload): Promise<string> {
  return readFile(fileOf(number), "utf8").catch(() => "");
}

export async function writeGolden({ number }: Workload, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(fileOf(number), text);
}

function fileOf(number: string): URL {
  return new URL(`${number.toLowerCase()}.yaml`, FOLDER);
}

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** Lines that differ, `-` committed, `+` found, with what stands around them; empty when nothing does. */
export function goldenDiff(committed: string, found: string): readonly string[] {
  const changes = diff(committed.split("\n"), found.split("\n"));
  const isNear = changes.map((_, index) =>
    changes.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([change]) => change !== 0),
  );
  return changes.flatMap(([change, line], index) => {
    if (isNear[index] !== true) return [];
    const gap = index > 0 && isNear[index - 1] !== true ? ["…"] : [];
    return [...gap, `${SIGNS[change]} ${line}`];
  });
}

/** As `util.diff` numbers the changes. */
const SIGNS: { readonly [change: number]: string } = { 0: " ", 1: "-", [-1]: "+" };
