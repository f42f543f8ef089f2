import { describe, expect, it } from "vitest";
import { awaitedControlPlane, awaitedInfrastructure } from "../../../../functions/cluster/rules/awaited.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import { fooCluster, fooControlPlane } from "../../../support/foo-cluster.ts";

describe("what a Cluster awaits of a provider object", () => {
  it("is its flag under the contract of the object", () => {
    const infrastructure = found(fooCluster());
    const controlPlane = found(fooControlPlane(), "v1beta1");
    expect(awaitedInfrastructure(cluster(), { infrastructure, controlPlane })).toBe(
      "InfraCluster.status.initialization.provisioned",
    );
    expect(awaitedControlPlane(cluster(), { infrastructure, controlPlane })).toBe(
      "ControlPlane.status.initialized",
    );
  });

  it("is nothing where the Cluster has no reference", () => {
    const bare = cluster({ spec: { infrastructureRef: undefined, controlPlaneRef: undefined } });
    const none = { infrastructure: undefined, controlPlane: undefined };
    expect(awaitedInfrastructure(bare, none)).toBeUndefined();
    expect(awaitedControlPlane(bare, none)).toBeUndefined();
    expect(awaitedInfrastructure(cluster(), { ...none, infrastructure: missing(fooCluster()) })).toBe(
      "InfraCluster.metadata.uid",
    );
  });
});
