import { describe, expect, it } from "vitest";
import { clusterClaim, isOwnedByName, ownObject } from "../../../../functions/cluster/rules/adoption.ts";
import { adoptionPatch, refusal } from "../../../../shared/rules/providers/adoption.ts";
import { cluster, missing, unresolved } from "../../../support/builders.ts";
import {
  FOREIGN_CONTROLLER,
  fooCluster,
  found,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../../support/foo-cluster.ts";

function ownedBy(...ownerReferences: readonly (typeof OWNED_BY_C1)[]) {
  return fooCluster({ metadata: { ownerReferences } });
}

describe("a Cluster", () => {
  it.each([
    ["one that names it beside a controller", found(ownedBy(FOREIGN_CONTROLLER, OWNED_BY_C1)), true],
    [
      "one that names it in another version",
      found(ownedBy({ ...OWNED_BY_C1, apiVersion: "cluster.x-k8s.io/v1beta1" })),
      true,
    ],
    ["that of an earlier Cluster of its name", found(ownedBy({ ...OWNED_BY_C1, uid: "uid-old" })), false],
    ["that of another Cluster", found(ownedBy({ ...OWNED_BY_C1, name: "c2", uid: "uid-c2" })), false],
    ["one without owner", found(ownedBy()), false],
    ["a missing one", missing(fooCluster()), false],
    ["one without contract", unresolved(true), false],
    ["none", undefined, false],
  ])("believes of objects only those that carry its uid: %s", (_, object, believed) => {
    expect(ownObject(cluster(), object)).toBe(believed ? object : undefined);
  });

  it("controls its objects with a topology only, and takes none from a controller then", () => {
    const planned = clusterClaim(cluster({ spec: { topology: TOPOLOGY } }));
    const foreign = ownedBy(FOREIGN_CONTROLLER);
    expect(planned.owner).toStrictEqual({ ...OWNED_BY_C1, controller: true, blockOwnerDeletion: true });
    expect(refusal(planned, foreign)).toBe("FooCluster c1-infra is controlled by Composition stack");
    expect(adoptionPatch(planned, found(foreign))).toEqual([]);
    expect(clusterClaim(cluster()).owner).toStrictEqual(OWNED_BY_C1);
    expect(refusal(clusterClaim(cluster()), foreign)).toBeUndefined();
  });

  it("is compared by group, kind and name only where deletion asks", () => {
    expect(isOwnedByName(ownedBy({ ...OWNED_BY_C1, uid: "uid-old" }), cluster())).toBe(true);
    expect(isOwnedByName(ownedBy({ ...OWNED_BY_C1, apiVersion: "example.com/v1" }), cluster())).toBe(false);
  });
});
