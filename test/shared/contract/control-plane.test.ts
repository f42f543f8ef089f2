import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import { ControlPlane, controlPlanePath, controlPlanePaths } from "../../../shared/contract/control-plane.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { cluster } from "../../support/builders.ts";
import { fooControlPlane } from "../../support/foo-cluster.ts";

describe("ControlPlane", () => {
  it("is found where a Cluster names it", () => {
    const [by] = ControlPlane.referencedBy;
    expect(valueAt(cluster(), by?.path ?? "")).toMatchObject({ name: "c1-control-plane" });
  });

  it("is not initialized by status.ready, under either contract", () => {
    const ready = fooControlPlane({ status: { initialization: undefined, ready: true } });
    const initialized = fooControlPlane({ status: { initialization: undefined, initialized: true } });
    for (const contract of ["v1beta1", "v1beta2"] as const) {
      expect(readBoolean(ready, controlPlanePath(contract, "initialized"))).toEqual({});
    }
    expect(readBoolean(initialized, controlPlanePath("v1beta1", "initialized"))).toEqual({ value: true });
  });

  it("counts what is unavailable under v1beta1 and what is available under v1beta2", () => {
    expect(controlPlanePath("v1beta1", "availableReplicas")).toBeUndefined();
    expect(controlPlanePath("v1beta1", "unavailableReplicas")).toBe("status.unavailableReplicas");
    expect(controlPlanePath("v1beta2", "availableReplicas")).toBe("status.availableReplicas");
    expect(controlPlanePath("v1beta2", "unavailableReplicas")).toBeUndefined();
  });

  it("is watched for both names of its up-to-date replicas", () => {
    expect(controlPlanePaths("upToDateReplicas", "version")).toEqual([
      "status.updatedReplicas",
      "spec.version",
      "status.upToDateReplicas",
    ]);
  });
});
