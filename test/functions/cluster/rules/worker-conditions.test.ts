import { describe, expect, it } from "vitest";
import { workerConditions } from "../../../../functions/cluster/rules/worker-conditions.ts";
import type { Workers } from "../../../../shared/api/cluster/workers.ts";
import type { Condition, ConditionStatus } from "../../../../shared/api/conditions.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { machinePool } from "../../../support/builders.ts";
import { fooControlPlane, found, missing, unresolved } from "../../../support/foo-cluster.ts";

function pool(name: string, ...reported: readonly (readonly [string, ConditionStatus, string])[]) {
  const conditions: readonly Condition[] = reported.map(([type, status, message]) => ({
    type,
    status,
    reason: "Reason",
    message,
    lastTransitionTime: "2026-01-01T11:00:00Z",
  }));
  return machinePool({ metadata: { name }, status: { conditions } });
}

function reported(
  type: string,
  pools: readonly Workers[],
  controlPlane: Referenced = found(fooControlPlane()),
): string {
  const { status, reason, message } =
    workerConditions(pools, controlPlane).find((one) => one.type === type) ?? {};
  return `${status} ${reason} ${message}`.trim();
}

describe("workerConditions", () => {
  it("has no workers to speak of", () => {
    expect(reported("WorkersAvailable", [])).toBe("True NoWorkers");
    expect(reported("WorkersAvailable", [pool("p1")])).toBe("True NoWorkers");
  });

  it("counts the pools that report Available", () => {
    const pools = [
      pool("p1", ["Available", "False", "0 of 3"]),
      pool("p2", ["Available", "True", ""]),
      pool("p3"),
    ];
    expect(reported("WorkersAvailable", pools)).toBe("False NotAvailable * MachinePool p1: 0 of 3");
    expect(reported("WorkersAvailable", pools.slice(1))).toBe("True Available");
  });

  it.each(["RollingOut", "ScalingUp", "ScalingDown"])("is not %s without a report", (type) => {
    expect(reported(type, [pool("p1")])).toBe(`False Not${type}`);
    expect(reported(type, [], missing("FooControlPlane"))).toBe(`False Not${type}`);
  });

  it("is scaling when a pool or the control plane object is", () => {
    const conditions = [{ type: "ScalingUp", status: "True", reason: "ScalingUp", message: "3 to 5" }];
    const growing = found(fooControlPlane({ status: { conditions } }));
    expect(reported("ScalingUp", [pool("p1", ["ScalingUp", "True", "1 to 3"])], growing)).toBe(
      "True ScalingUp * FooControlPlane c1-control-plane: 3 to 5\n* MachinePool p1: 1 to 3",
    );
    expect(reported("ScalingDown", [], growing)).toBe("False NotScalingDown");
  });

  it("does not know whether it scales while the control plane object cannot be read", () => {
    expect(reported("ScalingUp", [], unresolved())).toMatch(/^Unknown InternalError /);
    expect(reported("WorkersAvailable", [], unresolved())).toBe("True NoWorkers");
  });

  it("hears every MachineDeployment, and MachineSets about scaling only", () => {
    const silent = (kind: string) => ({ ...pool("one"), kind });
    expect(reported("WorkersAvailable", [silent("MachineDeployment")])).toBe(
      "Unknown AvailableUnknown * MachineDeployment one: Condition Available not yet reported",
    );
    expect(reported("WorkersAvailable", [silent("MachineSet")])).toBe("True NoWorkers");
    expect(reported("RollingOut", [silent("MachineSet")])).toBe("False NotRollingOut");
    expect(reported("ScalingUp", [silent("MachineSet")])).toBe(
      "Unknown ScalingUpUnknown * MachineSet one: Condition ScalingUp not yet reported",
    );
    const growing = { ...pool("one", ["ScalingUp", "True", "1 to 5"]), kind: "MachineSet" };
    expect(reported("ScalingUp", [growing])).toBe("True ScalingUp * MachineSet one: 1 to 5");
  });
});
