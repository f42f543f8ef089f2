import { describe, expect, it } from "vitest";
import type { RolloutFields } from "../../../../shared/rules/rollout/plan-types.ts";
import { sameRollout, unlikeParts } from "../../../../shared/rules/rollout/same-rollout.ts";
import { templateNamed } from "../../../support/plan-sets.ts";

const TEMPLATE = templateNamed("new");

function unlike(overrides: Partial<RolloutFields>): readonly string[] {
  return unlikeParts(TEMPLATE, { ...TEMPLATE, ...overrides });
}

describe("templates", () => {
  it("are the same when all four parts are, absent or empty", () => {
    expect(sameRollout(TEMPLATE, structuredClone(TEMPLATE))).toBe(true);
    expect(unlike({ failureDomain: "" })).toEqual([]);
    expect(unlike({ failureDomain: undefined })).toEqual([]);
    expect(unlike({ version: "1.34.0" })).toEqual([]);
  });

  it("differ by each of the four parts", () => {
    expect(unlike({ version: "v1.35.0" })).toEqual(["version"]);
    expect(unlike({ version: undefined })).toEqual(["version"]);
    expect(unlike({ bootstrap: {} })).toEqual(["bootstrap"]);
    expect(unlike({ bootstrap: { dataSecretName: "" } })).toEqual(["bootstrap"]);
    expect(unlike({ failureDomain: "b" })).toEqual(["failureDomain"]);
    expect(
      unlike({ infrastructureRef: { ...TEMPLATE.infrastructureRef, kind: "BarMachineTemplate" } }),
    ).toEqual(["infrastructureRef"]);
    expect(sameRollout(TEMPLATE, templateNamed("old"))).toBe(false);
  });
});
