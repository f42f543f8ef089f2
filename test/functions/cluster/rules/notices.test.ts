import { describe, expect, it } from "vitest";
import { changeNotices, clusterNotices } from "../../../../functions/cluster/rules/notices.ts";
import type { ClusterStatus } from "../../../../shared/api/cluster/cluster.ts";
import { machineCondition, unresolved } from "../../../support/builders.ts";
import { viewWith } from "../../../support/foo-cluster.ts";

const LATCHES = { infrastructureProvisioned: true, controlPlaneInitialized: true };

describe("changeNotices", () => {
  it("reports each latch and each change of phase once", () => {
    const up = { phase: "Provisioned", initialization: LATCHES } as const;
    expect(changeNotices("c1", { phase: "Provisioning" }, up)).toEqual([
      {
        type: "Normal",
        reason: "InfrastructureReady",
        message: "Infrastructure of Cluster c1 is provisioned",
      },
      {
        type: "Normal",
        reason: "ControlPlaneInitialized",
        message: "Control plane of Cluster c1 is initialized",
      },
      { type: "Normal", reason: "Provisioned", message: "Cluster c1 is Provisioned" },
    ]);
    expect(changeNotices("c1", up, up)).toEqual([]);
  });

  it("reports the condition of a control plane without object, once", () => {
    const conditions = [machineCondition("ControlPlaneInitialized", "True", "Initialized")];
    const up = { phase: "Provisioned", conditions } as const;
    const reasons = (before: ClusterStatus) => changeNotices("c1", before, up).map(({ reason }) => reason);
    expect(reasons({ phase: "Provisioned" })).toEqual(["ControlPlaneInitialized"]);
    expect(reasons(up)).toEqual([]);
  });

  it("names an event of the phase after the phase", () => {
    expect(changeNotices("c1", undefined, { phase: "Provisioning" }).map(({ reason }) => reason)).toEqual([
      "Provisioning",
    ]);
  });
});

describe("clusterNotices", () => {
  it("reports changes first, then problems", () => {
    const providers = { ...viewWith().providers, controlPlane: unresolved(true) };
    const view = viewWith({ providers });
    expect(clusterNotices(view, { phase: "Provisioned" }).map(({ reason }) => reason)).toEqual([
      "Provisioned",
      "UnresolvedReference",
    ]);
  });
});
