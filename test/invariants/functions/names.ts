import type { Repository } from "../../support/repository.ts";

/** `core/reconcilers/machine/machine_controller.go`, a file of Cluster API. */
const UPSTREAM = /^[a-z][\w/-]+\.go$/;

/** `functions/<kind>/<step>.ts`; a kind's rules are in a folder of their own. */
function stepsOf({ sources }: Repository): Repository["sources"] {
  return sources.filter(({ path }) => path.split("/").length === 3);
}

/** Returns files that are neither one function nor one rule, and functions whose file is not at the path of their name. */
export function misplaced(repository: Repository): readonly string[] {
  const { functions, sources } = repository;
  const steps = stepsOf(repository);
  // loadFunctions has compared the name with the path of each file that it could find.
  const expected = new Set(functions.map(({ spec }) => `functions/${spec.name.replace("-", "/")}.ts`));
  const paths = new Set(steps.map(({ path }) => path));
  const rules = /^functions\/[a-z]+\/rules\/[a-z-]+\.ts$/;
  return [
    ...[...paths].filter((path) => !expected.has(path)),
    ...[...expected].filter((path) => !paths.has(path)),
    ...sources.filter((one) => !steps.includes(one) && !rules.test(one.path)).map(({ path }) => path),
  ];
}

/** Returns names that do not fit field managers, queues and metrics, or that a second function has. */
export function unfitNames({ functions }: Repository): readonly string[] {
  const names = functions.map(({ spec }) => spec.name);
  const pattern = /^(?=.{1,50}$)[a-z0-9]+(?:-[a-z0-9]+)+$/;
  return names.filter((name, at) => !pattern.test(name) || names.indexOf(name) !== at);
}

/** Returns files that do not export their function under its name in camelCase. */
export function unexported(repository: Repository): readonly string[] {
  return stepsOf(repository).flatMap(({ path, code }) => {
    const [, name = ""] = path.match(/^functions\/(.*)\.ts$/) ?? [];
    const camel = name.replace(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
    return code.includes(`export const ${camel} = defineFunction`) ? [] : [path];
  });
}

/** Returns functions that have no test file at the same path. */
export function untested(repository: Repository): readonly string[] {
  return stepsOf(repository)
    .map(({ path }) => path)
    .filter((path) => !repository.tests.has(`test/${path.slice(0, -3)}.test.ts`));
}

/** Returns functions that are not summed up in one sentence. */
export function unsummed({ functions }: Repository): readonly string[] {
  return functions
    .filter(({ spec }) => !/^[A-Z][^.]+\.$/.test(spec.summary))
    .map(({ spec }) => `${spec.name}: ${spec.summary}`);
}

/** Returns sources of functions that are neither a file of Cluster API nor `own`. */
export function oddSources({ functions }: Repository): readonly string[] {
  return functions
    .filter(({ spec }) => spec.source !== "own" && !UPSTREAM.test(spec.source))
    .map(({ spec }) => `${spec.name}: ${spec.source}`);
}
