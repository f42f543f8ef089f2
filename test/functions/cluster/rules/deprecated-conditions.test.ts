import { describe, expect, it } from "vitest";
import { clusterDeprecatedConditions } from "../../../../functions/cluster/rules/deprecated-conditions.ts";
import type { ClusterProviders } from "../../../../functions/cluster/rules/providers.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { cluster } from "../../../support/builders.ts";
import {
  deletedCluster,
  fooCluster,
  fooControlPlane,
  found,
  missing,
  unresolved,
} from "../../../support/foo-cluster.ts";
import { NOW } from "../../../support/world.ts";

const UP: ClusterProviders = { infrastructure: found(fooCluster()), controlPlane: found(fooControlPlane()) };

/** `Type: Status/Severity/Reason`, in the order of the list. */
function list(of: Cluster, providers: Partial<ClusterProviders> = {}, initialized = true): readonly string[] {
  const conditions = clusterDeprecatedConditions(of, { ...UP, ...providers }, initialized, NOW);
  return conditions.map(({ type, status, severity, reason }) =>
    [`${type}: ${status}`, severity, reason].filter((part) => part !== undefined).join("/"),
  );
}

describe("clusterDeprecatedConditions", () => {
  it("has four entries, Ready first, when everything is up", () => {
    expect(list(cluster())).toEqual([
      "Ready: True",
      "ControlPlaneInitialized: True",
      "ControlPlaneReady: True",
      "InfrastructureReady: True",
    ]);
  });

  it("waits by the objects' flags, and Ready gives the reason of the control plane first", () => {
    const waiting = {
      infrastructure: found(fooCluster({ status: undefined })),
      controlPlane: found(fooControlPlane({ status: { initialization: undefined } })),
    };
    expect(list(cluster(), waiting, false)).toEqual([
      "Ready: False/Info/WaitingForControlPlane",
      "ControlPlaneInitialized: False/Info/WaitingForControlPlaneProviderInitialized",
      "ControlPlaneReady: False/Info/WaitingForControlPlane",
      "InfrastructureReady: False/Info/WaitingForInfrastructure",
    ]);
  });

  it("copies Ready of status.conditions, whatever the contract and the flag say", () => {
    const status = {
      ready: true,
      conditions: [{ type: "Ready", status: "False", severity: "Error", reason: "Quota" }],
    };
    const infrastructure = found({ ...fooCluster(), status }, "v1beta1");
    expect(list(cluster(), { infrastructure })).toContain("InfrastructureReady: False/Error/Quota");
    expect(list(cluster(), { infrastructure })[0]).toBe("Ready: False/Error/Quota");
  });

  it("reports that an object is being deleted with its Cluster, and that it is gone", () => {
    expect(list(deletedCluster())).toContain("ControlPlaneReady: False/Info/Deleting");
    expect(list(deletedCluster(), { controlPlane: missing("FooControlPlane") })).toContain(
      "ControlPlaneReady: False/Info/Deleted",
    );
  });

  it("keeps what it said about an object that is missing or cannot be read", () => {
    const conditions = [
      { type: "InfrastructureReady", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z" },
    ];
    const before = cluster({ status: { deprecated: { v1beta1: { conditions } } } });
    for (const infrastructure of [missing("FooCluster"), unresolved()]) {
      expect(list(before, { infrastructure })).toContain("InfrastructureReady: True");
      expect(list(cluster(), { infrastructure })).toContain(
        "InfrastructureReady: False/Info/WaitingForInfrastructure",
      );
    }
  });

  it("is True without infra object, and silent about a control plane object that is not referenced", () => {
    const alone = cluster({ spec: { infrastructureRef: undefined, controlPlaneRef: undefined } });
    expect(list(alone, { infrastructure: undefined, controlPlane: undefined }, false)).toEqual([
      "Ready: True",
      "ControlPlaneInitialized: False/Info/MissingNodeRef",
      "InfrastructureReady: True",
    ]);
  });
});
