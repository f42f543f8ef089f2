import { glob } from "node:fs/promises";
import { matchesGlob, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AnyFunction } from "../../shared/function/define-function.ts";

const ROOT = fileURLToPath(new URL("../../functions/", import.meta.url));

/**
 * Loads the functions whose names match one of `patterns` (`machinepool-*`; default all), sorted by name. Nothing is
 * registered: `functions/machinepool/nodes.ts` is `machinepool-nodes`, and a worker imports only what it serves.
 * `folder` takes the place of `functions`.
 * Throws when a pattern matches nothing or a file does not define the function its path names.
 */
export async function loadFunctions(
  patterns: readonly string[] = ["*"],
  folder: string = ROOT,
): Promise<readonly AnyFunction[]> {
  const files = new Map<string, string>();
  for await (const file of glob("*/*.{ts,js}", { cwd: folder })) {
    if (!file.endsWith(".d.ts")) files.set(file.replace(/\.[jt]s$/, "").replace(/[\\/]/, "-"), file);
  }
  for (const pattern of patterns) {
    if ([...files.keys()].some((name) => matchesGlob(name, pattern))) continue;
    throw new Error(
      `no function matches "${pattern}"; there are ${[...files.keys()].sort((a, b) => a.localeCompare(b)).join(", ")}`,
    );
  }
  const wanted = [...files].filter(([name]) => patterns.some((pattern) => matchesGlob(name, pattern)));
  const loaded = await Promise.all(wanted.map(([name, file]) => loadFunction(name, resolve(folder, file))));
  return loaded.sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

async function loadFunction(name: string, file: string): Promise<AnyFunction> {
  const exports = (await import(pathToFileURL(file).href)) as {
    readonly [name: string]: unknown;
  };
  const found = Object.values(exports).find((value) => isFunction(value) && value.spec.name === name);
  if (!isFunction(found)) throw new Error(`${file} must export the function "${name}"`);
  return found;
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === "object" && value !== null && "spec" in value && "step" in value;
}
