import { describe, expect, it } from "vitest";
import { toDeprecatedConditions } from "../../../../shared/api/v1beta1/deprecated-conditions.ts";

const PLACE = { field: "status.conditions", namespace: "default" };

describe("conditions of v1beta1", () => {
  it("lose what is empty and keep everything else", () => {
    const since = "2026-01-01T00:00:00Z";
    const ready = { type: "Ready", status: "True", lastTransitionTime: since };
    const waiting = { ...ready, status: "False", severity: "Info", reason: "Waiting", message: "for it" };
    expect(
      toDeprecatedConditions([{ ...ready, severity: "", reason: "", message: "" }, waiting], PLACE),
    ).toEqual([ready, waiting]);
  });

  it("are refused when they are malformed", () => {
    expect(() => toDeprecatedConditions({}, PLACE)).toThrow("status.conditions: is not a list");
    expect(() => toDeprecatedConditions(["x"], PLACE)).toThrow("status.conditions[0]: is not a condition");
  });
});
