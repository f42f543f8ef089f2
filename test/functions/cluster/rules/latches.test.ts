import { describe, expect, it } from "vitest";
import {
  isControlPlaneInitialized,
  isInfrastructureProvisioned,
} from "../../../../functions/cluster/rules/latches.ts";
import { cluster } from "../../../support/builders.ts";
import {
  fooCluster,
  fooControlPlane,
  found,
  missing,
  newCluster,
  TOPOLOGY,
} from "../../../support/foo-cluster.ts";

describe("isControlPlaneInitialized", () => {
  it.each([
    ["v1beta1", { initialized: true }, true],
    ["v1beta1", { ready: true }, false],
    ["v1beta1", { initialization: { controlPlaneInitialized: true } }, false],
    ["v1beta2", { initialization: { controlPlaneInitialized: true } }, true],
    ["v1beta2", { initialized: true, ready: true }, false],
  ] as const)("under %s with status %o is %s", (contract, status, initialized) => {
    const object = { ...fooControlPlane(), status };
    expect(isControlPlaneInitialized(newCluster(), found(object, contract))).toBe(initialized);
  });

  it("is never set without control plane object", () => {
    const alone = newCluster({ spec: { controlPlaneRef: undefined } });
    expect(isControlPlaneInitialized(alone, undefined)).toBe(false);
  });
});

describe("isInfrastructureProvisioned", () => {
  it("is not set from an object that is missing, and stays set without it", () => {
    expect(isInfrastructureProvisioned(newCluster(), missing("FooCluster"))).toBe(false);
    expect(isInfrastructureProvisioned(cluster(), missing("FooCluster"))).toBe(true);
  });

  it("waits for both references of a topology", () => {
    const planned = newCluster({ spec: { topology: TOPOLOGY, controlPlaneRef: undefined } });
    expect(isInfrastructureProvisioned(planned, found(fooCluster()))).toBe(false);
  });
});
