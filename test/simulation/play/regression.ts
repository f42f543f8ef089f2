import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PlannedFault } from "./plan.ts";

/** A plan that has failed once and must never fail again; a JSON file in `regressions/`. */
export interface Regression {
  readonly workload: string;
  readonly seed: number;
  readonly faults: readonly PlannedFault[];
  /** Faults may strike for so long. */
  readonly faultyMs: number;
  /** Its violation, and the cause. */
  readonly violated: string;
}

const FOLDER = new URL("../regressions/", import.meta.url).pathname;

export async function readRegressions(): Promise<readonly (Regression & { readonly file: string })[]> {
  const files = (await readdir(FOLDER).catch(() => [])).filter((name) => name.endsWith(".json")).sort();
  return Promise.all(
    files.map(async (file) => ({
      ...(JSON.parse(await readFile(join(FOLDER, file), "utf8")) as Regression),
      file,
    })),
  );
}

/** Returns the path of the file. */
export async function writeRegression(regression: Regression): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, `${regression.workload.toLowerCase()}-seed-${regression.seed}.json`);
  await writeFile(file, `${JSON.stringify(regression, undefined, 2)}\n`);
  return file;
}
