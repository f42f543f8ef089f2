import { describe, expect, it } from "vitest";
import { ownedProvider, referenceOf } from "../../../../functions/cluster/rules/providers.ts";
import { awaitsTopology } from "../../../../shared/rules/coexistence/topology.ts";
import { cluster, found, missing, unresolved } from "../../../support/builders.ts";
import { fooCluster, OWNED_BY_C1 } from "../foo-objects.ts";

describe("provider objects of a Cluster", () => {
  it("are named by one reference each", () => {
    expect(referenceOf(cluster(), "infrastructure")?.kind).toBe("FooCluster");
    expect(referenceOf(cluster(), "controlPlane")?.kind).toBe("FooControlPlane");
  });

  it("are believed, with their contract, when they carry the Cluster's uid", () => {
    const object = fooCluster();
    expect(ownedProvider(cluster(), found(object, "v1beta1"))).toEqual({ object, contract: "v1beta1" });
  });

  it("are not believed when they belong to nobody or to an earlier Cluster of the same name", () => {
    const restored = fooCluster({ metadata: { ownerReferences: [{ ...OWNED_BY_C1, uid: "uid-earlier" }] } });
    const orphan = fooCluster({ metadata: { ownerReferences: undefined } });
    for (const provider of [
      found(restored),
      found(orphan),
      missing(fooCluster()),
      unresolved(true),
      undefined,
    ]) {
      expect(ownedProvider(cluster(), provider)).toBeUndefined();
    }
  });

  it("are awaited from a topology until it has generated both references", () => {
    const topology = { classRef: { name: "class" }, version: "v1.34.0" };
    expect(awaitsTopology(cluster({ spec: { topology } }))).toBe(false);
    expect(awaitsTopology(cluster({ spec: { topology, infrastructureRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { topology, controlPlaneRef: undefined } }))).toBe(true);
    expect(awaitsTopology(cluster({ spec: { controlPlaneRef: undefined } }))).toBe(false);
  });
});
