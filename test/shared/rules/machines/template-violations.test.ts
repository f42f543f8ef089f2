import { describe, expect, it } from "vitest";
import { templateChecks, violationsAmong } from "../../../../shared/rules/machines/template-violations.ts";
import { machinePool, type Overrides } from "../../../support/builders.ts";

type Spec = NonNullable<NonNullable<Overrides<ReturnType<typeof machinePool>>>["spec"]>;

function reasons(spec: Spec, defaultReplicas: number | undefined) {
  return violationsAmong(templateChecks(machinePool({ spec }), defaultReplicas)).map(({ reason }) => reason);
}

describe("rules of admission for a template of Machines", () => {
  it.each<readonly [string, Spec, readonly string[]]>([
    ["a complete template", {}, []],
    ["no version", { template: { spec: { version: undefined } } }, []],
    ["a version of two parts", { template: { spec: { version: "v1.34" } } }, ["InvalidVersion"]],
    ["a version without v", { template: { spec: { version: "1.34.2" } } }, []],
    ["another Cluster", { template: { spec: { clusterName: "c2" } } }, ["InvalidSpec"]],
    [
      "neither config nor data",
      { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: undefined } } } },
      ["MissingBootstrap"],
    ],
    [
      "an empty data secret name: no data is wanted",
      { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: "" } } } },
      [],
    ],
    [
      "several at once, each by itself",
      { template: { spec: { clusterName: "c2", version: "latest" } } },
      ["InvalidVersion", "InvalidSpec"],
    ],
  ])("judge %s", (_, spec, expected) => {
    expect(reasons(spec, 1)).toEqual(expected);
  });

  it("ask for replicas only where nothing stands for them", () => {
    expect(reasons({ replicas: undefined }, undefined)).toEqual(["InvalidSpec"]);
    expect(reasons({ replicas: undefined }, 3)).toEqual([]);
    expect(reasons({ replicas: 0 }, undefined)).toEqual([]);
  });

  it("become Warnings that name field and value", () => {
    const checks = templateChecks(machinePool({ spec: { template: { spec: { version: "latest" } } } }), 1);
    expect(violationsAmong(checks)).toEqual([
      {
        type: "Warning",
        reason: "InvalidVersion",
        message: "spec.template.spec.version latest is not a semantic version",
      },
    ]);
  });
});
