import { describe, expect, it } from "vitest";
import { clusterConditions } from "../../../../functions/cluster/rules/conditions.ts";
import type { ClusterFacts } from "../../../../functions/cluster/rules/view.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import { deletedCluster, fooCluster, fooControlPlane, viewWith } from "../../../support/foo-cluster.ts";

function conditionsOf(changes: Partial<ClusterFacts> = {}) {
  return new Map(clusterConditions(viewWith(changes)).map((condition) => [condition.type, condition]));
}
const { providers: UP } = viewWith();

describe("conditions of a Cluster", () => {
  it("are all there, once it is up, with Available on top of them", () => {
    const conditions = conditionsOf();
    expect(new Set(conditions.keys())).toEqual(
      new Set([
        "Available",
        "ControlPlaneAvailable",
        "ControlPlaneInitialized",
        "ControlPlaneMachinesReady",
        "ControlPlaneMachinesUpToDate",
        "Deleting",
        "InfrastructureReady",
        "Paused",
        "Remediating",
        "RemoteConnectionProbe",
        "RollingOut",
        "ScalingDown",
        "ScalingUp",
        "WorkerMachinesReady",
        "WorkerMachinesUpToDate",
        "WorkersAvailable",
      ]),
    );
    expect(conditions.get("Available")).toMatchObject({
      status: "True",
      reason: "Available",
      observedGeneration: 1,
    });
  });

  it("say what is wrong with a provisioned object whose failure domains have the wrong shape", () => {
    const message = "status.failureDomains is not a list of failure domains";
    const malformed = fooCluster({ status: { failureDomains: { a: {} } } });
    const conditions = conditionsOf({ providers: { ...UP, infrastructure: found(malformed) } });
    expect(conditions.get("InfrastructureReady")).toMatchObject({ status: "True", message });
  });

  it("are not Available when the infra object vanished while the Cluster lives", () => {
    const conditions = conditionsOf({ providers: { ...UP, infrastructure: missing(fooCluster()) } });
    const message = "FooCluster has been deleted while the cluster still exists";
    expect(conditions.get("InfrastructureReady")).toMatchObject({
      status: "False",
      reason: "ObjectDeleted",
      message,
    });
    expect(conditions.get("Available")).toMatchObject({
      status: "False",
      reason: "NotAvailable",
      message: `* InfrastructureReady: ${message}`,
    });
  });

  it("blame only the deletion when the objects of a Cluster go with it", () => {
    const conditions = conditionsOf({
      cluster: deletedCluster({ status: { initialization: { controlPlaneInitialized: true } } }),
      providers: { infrastructure: missing(fooCluster()), controlPlane: missing(fooControlPlane()) },
      deletion: {
        reason: "DeletionCompleted",
        message: "Deletion completed",
        remove: [],
        isGoing: false,
        awaits: "",
      },
    });
    expect(conditions.get("Deleting")).toMatchObject({ status: "True", reason: "DeletionCompleted" });
    expect(conditions.get("Available")?.message).toBe("* Deleting: Deletion completed");
  });

  it("wait for an availability gate that its writer has not reported, and see it once it is", () => {
    const spec = { availabilityGates: [{ conditionType: "Certified" }] };
    expect(conditionsOf({ cluster: cluster({ spec }) }).get("Available")).toMatchObject({
      status: "Unknown",
      message: "* Certified: Condition not yet reported",
    });
    const certified = { type: "Certified", status: "True", reason: "Audited", message: "" } as const;
    const status = { conditions: [{ ...certified, lastTransitionTime: "2026-01-01T11:00:00Z" }] };
    const conditions = conditionsOf({ cluster: cluster({ spec, status }) });
    expect(conditions.get("Available")?.status).toBe("True");
    expect(conditions.has("Certified")).toBe(false);
  });
});
