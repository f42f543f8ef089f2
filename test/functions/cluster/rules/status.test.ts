import { describe, expect, it } from "vitest";
import { isBroughtUp, pausedClusterStatus } from "../../../../functions/cluster/rules/status.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import { cluster } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

function reported(type: string): Condition {
  return { type, status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T11:00:00Z" };
}

const LATCHES = { infrastructureProvisioned: true, controlPlaneInitialized: true };

describe("isBroughtUp", () => {
  it.each([
    [{}, false],
    [{ initialization: { infrastructureProvisioned: true } }, false],
    [{ initialization: { controlPlaneInitialized: true } }, false],
    [{ initialization: LATCHES }, true],
  ])("of %o is %s", (status, expected) => {
    expect(isBroughtUp(status)).toBe(expected);
  });
});

describe("pausedClusterStatus", () => {
  it("changes only Paused, whose generation stays current", () => {
    const status = { conditions: [reported("Available"), { ...reported("Paused"), observedGeneration: 1 }] };
    const paused = cluster({ metadata: { generation: 5 }, spec: { paused: true }, status });
    expect(pausedClusterStatus(paused, NOW).conditions).toEqual([
      reported("Available"),
      {
        ...reported("Paused"),
        reason: "Paused",
        message: "Cluster spec.paused is set to true",
        observedGeneration: 5,
      },
    ]);
  });
});
