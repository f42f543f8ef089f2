import { describe, expect, it } from "vitest";
import { type Repository, readRepository } from "../support/repository.ts";
import { foreignImports, impure } from "./functions/imports.ts";
import { holdable, limitedWithoutNeed } from "./functions/isolation.ts";
import { misplaced, oddSources, unexported, unfitNames, unsummed, untested } from "./functions/names.ts";
import { appliedElements, appliedOutsideStatus, unsettledWriters } from "./functions/ownership.ts";

/** Statements of this folder about functions, for any set of functions. */
const INVARIANTS: { readonly [name: string]: (of: Repository) => readonly string[] } = {
  misplaced,
  unfitNames,
  unexported,
  untested,
  unsummed,
  oddSources,
  unsettledWriters: ({ functions }) => unsettledWriters(functions),
  appliedElements: ({ functions }) => appliedElements(functions),
  appliedOutsideStatus: ({ functions }) => appliedOutsideStatus(functions),
  holdable: ({ functions }) => holdable(functions),
  limitedWithoutNeed: ({ functions }) => limitedWithoutNeed(functions),
  foreignImports: ({ sources }) => foreignImports(sources),
  impure: ({ sources }) => impure(sources),
};

const NAME = "machine-audit";
const repository = await readRepository("test/support/added");

/** The repository with another spec of the added function. */
function withSpec(change: object): Repository {
  const functions = repository.functions.map((fn) =>
    fn.spec.name === NAME ? { ...fn, spec: { ...fn.spec, ...change } } : fn,
  );
  return { ...repository, functions };
}

describe("a function that is added", () => {
  it("is its file, its rules and their tests, and stands beside the others", () => {
    const names = repository.functions.map(({ spec }) => spec.name);
    expect(names).toContain(NAME);
    expect(names).toContain("machinepool-status");
    expect(repository.sources.map(({ path }) => path)).toContain("functions/machine/audit.ts");
    expect(repository.sources.map(({ path }) => path)).toContain("functions/machine/rules/audit.ts");
  });

  it.each(Object.entries(INVARIANTS))("keeps every invariant without another edit: %s", (_, violations) => {
    expect(violations(repository)).toEqual([]);
  });

  it("is refused where it writes what others write without saying whose turn it is", () => {
    expect(unsettledWriters(withSpec({ inTurnWith: undefined }).functions)).toEqual([
      expect.stringMatching(/^machine-audit and machine-delete write Machine metadata\.finalizers/),
      expect.stringMatching(/^machine-audit and machine-guard write Machine metadata\.finalizers/),
    ]);
    expect(unsettledWriters(withSpec({ owns: ["status"] }).functions)).toContainEqual(
      expect.stringMatching(/^machine-audit and machine-status write Machine status/),
    );
  });

  it.each([
    ["an element of a list", { owns: ["status.conditions[Audited]"] }, "appliedElements"],
    ["a field outside of the status", { owns: ["spec.audited"] }, "appliedOutsideStatus"],
    ["a name of another file", { name: "machine-other" }, "misplaced"],
    ["a name that another function has", { name: "machinepool-status" }, "unfitNames"],
    ["a summary of two sentences", { summary: "Audits. Twice." }, "unsummed"],
    ["a limit that it does not need", { queue: { maxRunningPerTenant: 1 } }, "limitedWithoutNeed"],
    ["a source that is nowhere", { source: "a dream" }, "oddSources"],
  ])("is refused with %s", (_, change, invariant) => {
    const odd = withSpec(change);
    const refusing = Object.keys(INVARIANTS).filter((name) => INVARIANTS[name]?.(odd).length !== 0);
    expect(refusing).toContain(invariant);
  });

  it("is refused when it imports another kind or the runtime, or has no test", () => {
    const code = `import "../cluster/rules/hold.ts"; import "../../shared/runtime/ports.ts";`;
    const sources = [{ path: "functions/machine/audit.ts", code }];
    expect(foreignImports(sources)).toHaveLength(2);
    expect(untested({ ...repository, sources, tests: new Set() })).toEqual(["functions/machine/audit.ts"]);
  });
});
