import { mkdir, readFile, writeFile } from "node:fs/promises";
import { diff } from "node:util";
import { NO_FAULTS } from "../play/plan.ts";
import type { Prepared } from "../play/prepared.ts";
import { runOnce } from "../play/run.ts";
import { type Listed, objectsIn, withSteadyNames } from "../play/state.ts";
import type { World } from "../play/world.ts";
import type { Workload } from "../workloads/workload.ts";
import { type Chronicle, chronicleOf, wrapped } from "./chapters.ts";
import { type Example, endingLines } from "./ending.ts";

/** The story of one workload. */
export interface GoldenRun {
  readonly text: string;
  readonly violations: readonly string[];
}

/** Objects that the ends of stories are compared with. */
export interface Examples {
  readonly examples: Example[];
  /** Whether an object that is like none of them becomes one. */
  readonly mayAdd: boolean;
}

/**
 * Plays a workload without faults and without chance. F-01 compares runs of the product with each other; this text is
 * compared with one that a person has reviewed, so that a defect which is always there shows, too.
 */
export async function playGolden(
  workload: Workload,
  prepared: Prepared,
  { examples, seed = 1 }: { readonly examples: Examples; readonly seed?: number },
): Promise<GoldenRun> {
  let chronicle: Chronicle | undefined;
  let objects: readonly Listed[] = [];
  const onlooker = {
    begin: (world: World): void => {
      chronicle = chronicleOf(world);
    },
    end: async (world: World): Promise<void> => {
      objects = withSteadyNames(await objectsIn(world));
    },
  };
  const reported: Workload = { ...workload, run: (user) => workload.run(chronicle?.of(user) ?? user) };
  const game = { seed, workload: reported, prepared, plan: NO_FAULTS, isSteady: true, onlooker };
  const { violations } = await runOnce(game);
  const lines = [
    ...wrapped(`${workload.number}: ${workload.title}`, ""),
    ...(chronicle?.lines() ?? []),
    ...["", "in the end"],
    ...endingLines(workload.number, objects, examples),
  ];
  return { text: `${lines.join("\n")}\n`, violations };
}

const FOLDER = new URL("stories/", import.meta.url);
const EXAMPLES = new URL("objects.txt", FOLDER);

/** The committed story; empty while it is missing. */
export async function readGolden({ number }: Workload): Promise<string> {
  return readFile(fileOf(number), "utf8").catch(() => "");
}

export async function writeGolden({ number }: Workload, text: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(fileOf(number), text);
}

/** The committed examples. */
export async function readExamples(): Promise<Example[]> {
  const text = await readFile(EXAMPLES, "utf8");
  return text.split("\n\n").map((part) => {
    const [heading = "", ...lines] = part.trimEnd().split("\n");
    const [title = "", story = ""] = heading.split(" of ");
    return { title, story, lines: lines.map((line) => line.slice(2)) };
  });
}

export async function writeExamples(examples: readonly Example[]): Promise<void> {
  const parts = examples.map(({ title, story, lines }) =>
    [`${title} of ${story}`, ...lines.map((line) => `  ${line}`), ""].join("\n"),
  );
  await writeFile(EXAMPLES, parts.join("\n"));
}

function fileOf(number: string): URL {
  return new URL(`${number.toLowerCase()}.txt`, FOLDER);
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
