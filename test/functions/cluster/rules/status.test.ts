import { describe, expect, it } from "vitest";
import { clusterNotices, isBroughtUp } from "../../../../functions/cluster/rules/status.ts";

const LATCHES = { infrastructureProvisioned: true, controlPlaneInitialized: true };

describe("clusterNotices", () => {
  it("tells each latch and each change of phase once", () => {
    const up = { phase: "Provisioned", initialization: LATCHES } as const;
    expect(clusterNotices("c1", { phase: "Provisioning" }, up)).toEqual([
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
    expect(clusterNotices("c1", up, up)).toEqual([]);
  });

  it("names an event of the phase after the phase", () => {
    expect(clusterNotices("c1", undefined, { phase: "Provisioning" }).map(({ reason }) => reason)).toEqual([
      "Provisioning",
    ]);
  });
});

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
