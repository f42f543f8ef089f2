import { describe, expect, it } from "vitest";
import {
  isControlPlaneInitialized,
  isInfrastructureProvisioned,
} from "../../../../functions/cluster/rules/latches.ts";
import { cluster } from "../../../support/builders.ts";
import { missing, newCluster } from "../../../support/foo-cluster.ts";

describe("isControlPlaneInitialized", () => {
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
});
