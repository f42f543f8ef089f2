import { describe, expect, it } from "vitest";
import { poolViolations } from "../../../../functions/machinepool/rules/violations.ts";
import { machinePool } from "../../../support/builders.ts";

describe("poolViolations", () => {
  it.each([
    ["v1.34.2", []],
    ["v1.34.2-rc.1+build.5", []],
    ["1.34.2", []],
    ["v1.34", ["InvalidVersion"]],
  ])("judges version %s", (version, reasons) => {
    const pool = machinePool({ spec: { template: { spec: { version } } } });
    expect(poolViolations(pool).map(({ reason }) => reason)).toEqual(reasons);
  });

  it("accepts an empty data secret name without configRef, and no pool with taints", () => {
    const named = machinePool({
      spec: { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: "" } } } },
    });
    expect(poolViolations(named)).toEqual([]);
    const taints = [{ key: "a", effect: "NoSchedule", propagation: "Always" }] as const;
    const tainted = machinePool({ spec: { template: { spec: { taints } } } });
    expect(poolViolations(tainted).map(({ reason }) => reason)).toEqual(["InvalidSpec"]);
  });

  it("names labels and annotations of the template that no Machine could carry", () => {
    const metadata = {
      labels: { tier: "a", "Example.com/tier": "a", size: "very large" },
      annotations: { "Example.com/note": "any text", "a b": "" },
    };
    const pool = machinePool({ spec: { template: { metadata } } });
    expect(poolViolations(pool).map(({ message }) => message)).toEqual([
      "spec.template.metadata.labels has the key Example.com/tier, which is not a label key",
      "spec.template.metadata.labels[size] is very large, which is not a label value",
      "spec.template.metadata.annotations has the key a b, which is not an annotation key",
    ]);
  });
});
