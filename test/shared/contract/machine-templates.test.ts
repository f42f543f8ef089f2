import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import {
  BootstrapTemplate,
  InfraMachineTemplate,
  TEMPLATE_PATH,
} from "../../../shared/contract/machine-templates.ts";
import { bootstrapTemplate, infraTemplate, machineSet } from "../../support/foo-sets.ts";

describe("templates of Machines", () => {
  it("are found where a MachineSet names them", () => {
    const named = [BootstrapTemplate, InfraMachineTemplate].map(({ referencedBy: [by] }) =>
      valueAt(machineSet(), `${by?.path}.name`),
    );
    expect(named).toEqual(["s1-config", "s1-infra"]);
  });

  it("keep what is cloned under spec.template", () => {
    expect(valueAt(bootstrapTemplate(), TEMPLATE_PATH)).toMatchObject({ spec: { join: true } });
    expect(valueAt(infraTemplate(), TEMPLATE_PATH)).toEqual({ spec: { size: "large" } });
  });
});
