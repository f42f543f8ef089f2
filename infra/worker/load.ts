import { readdir } from "node:fs/promises";
import { join, matchesGlob } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { GROUPS, groupOf } from "../../shared/function/groups.ts";
import { CORE_PROVIDER, providerOf } from "../../shared/function/providers.ts";

/** Where functions are: those of the core, and those of the provider that the playground brings. */
const CORE = fileURLToPath(new URL("../../functions/", import.meta.url));
const FOLDERS = [CORE, fileURLToPath(new URL("../playground/functions/", import.meta.url))];

/**
 * Loads the functions whose names match one of `patterns` (`machinepool-*`; default all), whose group is one of them
 * (`workload`), or whose provider is (`cluster-api`), sorted by name. Nothing is registered: `functions/machinepool/nodes.ts` is `machinepool-nodes`, and a worker imports only what it serves.
 * `folder` takes the place of all of them.
 * Throws when a pattern matches nothing or a file does not define the function its path names.
 */
export async function loadFunctions(
  patterns: readonly string[] = ["*"],
  folder?: string,
): Promise<readonly AnyFunction[]> {
  const isCoreAlone = patterns.every((pattern) => pattern === CORE_PROVIDER);
  const files = await functionFiles(folder ?? (isCoreAlone ? CORE : undefined));
  const names = [...files.keys()].sort((a, b) => a.localeCompare(b));
  // A pattern that fits no name may be a group or a provider: these stand in the specs, so all are loaded.
  const needsAll = patterns.some((pattern) => !names.some((name) => matches(name, pattern)));
  const mayMatch = (name: string) => needsAll || patterns.some((pattern) => matches(name, pattern));
  const loaded = await Promise.all(
    [...files].filter(([name]) => mayMatch(name)).map(([name, file]) => loadFunction(name, file)),
  );
  for (const pattern of patterns) {
    if (loaded.some((fn) => isMeant(fn, pattern))) continue;
    const providers = [...new Set(loaded.map(({ spec }) => providerOf(spec.reconciles)))];
    throw new Error(
      `no function matches "${pattern}"; there are the groups ${GROUPS.join(", ")}, the providers ${providers.join(", ")} and the functions ${names.join(", ")}`,
    );
  }
  return loaded
    .filter((fn) => patterns.some((pattern) => isMeant(fn, pattern)))
    .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1));
}

/** Files of a function each, by its name. Without glob, whose code takes longer to load than the search. */
export async function functionFiles(folder?: string): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all((folder === undefined ? FOLDERS : [folder]).map(filesIn));
  return new Map(found.flat());
}

async function filesIn(folder: string): Promise<readonly (readonly [string, string])[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const kinds = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(
    kinds.map(async (kind) =>
      (await readdir(join(folder, kind))).flatMap((file): readonly (readonly [string, string])[] => {
        const [, step] = /^([^.]+)\.[jt]s$/.exec(file) ?? [];
        return step === undefined ? [] : [[`${kind}-${step}`, join(folder, kind, file)]];
      }),
    ),
  );
  return found.flat();
}

/** Matches without `matchesGlob` for all functions and for a Deployment's names: its code takes 5 ms to load. */
function matches(name: string, pattern: string): boolean {
  return pattern === "*" || name === pattern || (/[^a-z0-9-]/.test(pattern) && matchesGlob(name, pattern));
}

function isMeant({ spec }: AnyFunction, pattern: string): boolean {
  return [groupOf(spec), providerOf(spec.reconciles)].includes(pattern) || matches(spec.name, pattern);
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
