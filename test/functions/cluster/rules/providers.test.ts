import { describe, expect, it } from "vitest";
import { providersOf, referenceOf } from "../../../../functions/cluster/rules/providers.ts";
import { awaitsTopology } from "../../../../shared/rules/coexistence/topology.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import { fooCluster } from "../../../support/foo-cluster.ts";

describe("provider objects of a Cluster", () => {
  it("are named by one reference each", () => {
    expect(referenceOf(cluster(), "infrastructure")?.kind).toBe("FooCluster");
    expect(referenceOf(cluster(), "controlPlane")?.kind).toBe("FooControlPlane");
  });

  it("are listed with their references, infrastructure first, and only those that are referenced", () => {
    const both = { infrastructure: found(fooCluster()), controlPlane: missing(fooCluster()) };
    expect(providersOf(cluster(), both).map(({ on, reference }) => [on.contract, reference.name])).toEqual([
      ["InfraCluster", "c1-infra"],
      ["ControlPlane", "c1-control-plane"],
    ]);
    const bare = cluster({ spec: { infrastructureRef: undefined } });
    expect(providersOf(bare, { ...both, infrastructure: undefined })).toHaveLength(1);
  });

  it("are awaited from a topology until it has generated both references", () => {
    const topology = { classRef: { name: "class" }, version: "v1.34.0" };
    expect(awaitsTopology(cluster({ spec: { topology } }))).toBe(false);
    expect(awaitsTopology(cluster({ spec: { topology, infrastructureRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { topology, controlPlaneRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { controlPlaneRef: undefined } }))).toBe(false);
  });
});
