import { describe, expect, it } from "vitest";
import { ownStatus } from "../../../../functions/cluster/rules/own-status.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";

function reported(type: string): Condition {
  return { type, status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T11:00:00Z" };
}

describe("ownStatus", () => {
  it("leaves out what others keep in the status", () => {
    expect(
      ownStatus({
        phase: "Provisioned",
        conditions: [reported("Available"), reported("TopologyReconciled")],
        controlPlane: { upgradePlan: [{ version: "v1.35.0" }] },
        workers: { replicas: 1, upgradePlan: [{ version: "v1.35.0" }] },
      }),
    ).toEqual({ phase: "Provisioned", conditions: [reported("Available")], workers: { replicas: 1 } });
  });
});
