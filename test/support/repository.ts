import { glob } from "node:fs/promises";
import { loadFunctions } from "../../infra/worker/load.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { type Source, sourcesIn } from "./sources.ts";

/** Functions with their files, as the invariants about functions see them. */
export interface Repository {
  readonly functions: readonly AnyFunction[];
  /** Every file below `functions`. */
  readonly sources: readonly Source[];
  /** Test files below `test/functions`, from the root. */
  readonly tests: ReadonlySet<string>;
}

/**
 * Reads Capstan's functions, those of the playground among them. `added` is a folder with `functions` and `test/functions` of its own, from the root: what
 * it holds is seen as if it stood beside Capstan's.
 */
export async function readRepository(added?: string): Promise<Repository> {
  const parts = await Promise.all(
    [
      { code: "", tests: "test/" },
      { code: "infra/playground/", tests: "test/infra/playground/" },
      ...(added === undefined ? [] : [{ code: `${added}/`, tests: `${added}/test/` }]),
    ].map(readPart),
  );
  return {
    functions: parts.flatMap(({ functions }) => functions),
    sources: parts.flatMap(({ sources }) => sources),
    tests: new Set(parts.flatMap(({ tests }) => [...tests])),
  };
}

const ROOT = new URL("../../", import.meta.url);

/** A folder with `functions`, and the folder of its tests; both from the root. */
interface Part {
  readonly code: string;
  readonly tests: string;
}

async function readPart(part: Part): Promise<Repository> {
  const tests: string[] = [];
  const cwd = new URL(part.tests, ROOT).pathname;
  for await (const path of glob("functions/**/*.test.ts", { cwd }))
    tests.push(`test/${path.replaceAll("\\", "/")}`);
  const sources = await sourcesIn(`${part.code}functions`);
  return {
    functions: await loadFunctions(undefined, new URL(`${part.code}functions/`, ROOT).pathname),
    sources: sources.map(({ path, code }) => ({
      path: path.slice(part.code.length),
      // Imports of the folder's own files stay as they are; the others lead to the root of the repository.
      code: part.code === "" ? code : withoutFolder(code, part.code),
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
