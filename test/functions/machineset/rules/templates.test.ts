import { describe, expect, it } from "vitest";
import { scaleUpBlockers } from "../../../../functions/machineset/rules/templates.ts";
import { templateProblems } from "../../../../shared/rules/machines/template-problems.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import { cluster, found, missing, unresolved } from "../../../support/builders.ts";
import { bootstrapTemplate, infraTemplate, machineSet } from "../../../support/foo-sets.ts";

const BOTH: MachineProviders = {
  bootstrap: found(bootstrapTemplate()),
  infrastructure: found(infraTemplate()),
};
const NONE: MachineProviders = {
  bootstrap: missing(bootstrapTemplate()),
  infrastructure: missing(infraTemplate()),
};
const CRD = "CRD of Foo cannot be used";

describe("what is wrong with the templates of a set", () => {
  it.each<readonly [string, MachineProviders, readonly string[]]>([
    ["is nothing where both exist", BOTH, []],
    [
      "names the one that is missing",
      { ...BOTH, infrastructure: NONE.infrastructure },
      ["FooMachineTemplate does not exist"],
    ],
    ["names both in one line", NONE, ["FooConfigTemplate and FooMachineTemplate do not exist"]],
    [
      "says once what is wrong with two kinds",
      { bootstrap: unresolved(false), infrastructure: unresolved(true) },
      [CRD],
    ],
    [
      "says both what is missing and what cannot be read",
      { ...NONE, infrastructure: unresolved(true) },
      ["FooConfigTemplate does not exist", CRD],
    ],
  ])("%s", (_, templates, problems) => {
    expect(templateProblems(machineSet().spec.template.spec, templates)).toEqual(problems);
  });

  it("comes behind what keeps the control plane from being used", () => {
    const facts = { cluster: cluster(), controlPlane: unresolved(true), templates: NONE };
    expect(scaleUpBlockers(machineSet(), facts)).toEqual([
      expect.stringContaining(CRD),
      "FooConfigTemplate and FooMachineTemplate do not exist",
    ]);
  });
});
