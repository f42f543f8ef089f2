import { glob } from "node:fs/promises";
import { loadFunctions } from "../../infra/worker/load.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { type Source, sourcesIn } from "./sources.ts";

/** Functions with their files, as the invariants about functions see them. */
export interface Repository {
  readonly functions: readonly AnyFunction[];
  /** Every file below `functions`, sorted. */
  readonly sources: readonly Source[];
  /** Test files below `test/functions`, from the root. */
  readonly tests: ReadonlySet<string>;
}

/**
 * Reads Capstan's functions. `added` is a folder with `functions` and `test/functions` of its own, from the root: what
 * it holds is seen as if it stood beside Capstan's.
 */
export async function readRepository(added?: string): Promise<Repository> {
  const own = await readFolder("");
  if (added === undefined) return own;
  const more = await readFolder(`${added}/`);
  return {
    functions: [...own.functions, ...more.functions],
    sources: [...own.sources, ...more.sources],
    tests: new Set([...own.tests, ...more.tests]),
  };
}

const ROOT = new URL("../../", import.meta.url);

async function readFolder(folder: string): Promise<Repository> {
  const tests: string[] = [];
  for await (const path of glob("test/functions/**/*.test.ts", { cwd: new URL(folder, ROOT).pathname })) {
    tests.push(path.replaceAll("\\", "/"));
  }
  const sources = await sourcesIn(`${folder}functions`);
  return {
    functions: await loadFunctions(undefined, new URL(`${folder}functions/`, ROOT).pathname),
    sources: sources.map(({ path, code }) => ({
      path: path.slice(folder.length),
      // Imports of the folder's own files stay as they are; the others lead to the root of the repository.
      code: folder === "" ? code : withoutFolder(code, folder),
    })),
    tests: new Set(tests),
  };
}

/** The same imports from where the file is seen: `../../../../shared/` becomes `../../shared/`. */
function withoutFolder(code: string, folder: string): string {
  const deeper = "../".repeat(folder.split("/").length - 1);
  return code.replaceAll(
    new RegExp(`(from\\s*")${deeper.replaceAll(".", "\\.")}((?:\\.\\./)+shared/)`, "g"),
    "$1$2",
  );
}
