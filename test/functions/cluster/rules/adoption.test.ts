import { describe, expect, it } from "vitest";
import {
  clusterAdoption,
  clusterOwnership,
  isOwnedByName,
} from "../../../../functions/cluster/rules/adoption.ts";
import { cluster } from "../../../support/builders.ts";
import { FOREIGN_CONTROLLER, fooCluster, OWNED_BY_C1, TOPOLOGY } from "../foo-objects.ts";

function ownedBy(...ownerReferences: readonly (typeof OWNED_BY_C1)[]) {
  return fooCluster({ metadata: { ownerReferences } });
}

describe("clusterOwnership", () => {
  it.each([
    ["ours", ownedBy(FOREIGN_CONTROLLER, OWNED_BY_C1)],
    ["ours", ownedBy({ ...OWNED_BY_C1, apiVersion: "cluster.x-k8s.io/v1beta1" })],
    ["renamed", ownedBy({ ...OWNED_BY_C1, uid: "uid-before-move" })],
    ["none", ownedBy({ ...OWNED_BY_C1, name: "c2", uid: "uid-c2" })],
    ["none", ownedBy()],
    ["missing", undefined],
  ])("is %s", (ownership, object) => {
    expect(clusterOwnership(cluster(), object)).toBe(ownership);
  });

  it("compares group, kind and name only where deletion asks", () => {
    expect(isOwnedByName(ownedBy({ ...OWNED_BY_C1, uid: "uid-old" }), cluster())).toBe(true);
    expect(isOwnedByName(ownedBy({ ...OWNED_BY_C1, apiVersion: "example.com/v1" }), cluster())).toBe(false);
  });
});

describe("clusterAdoption", () => {
  it("wants nothing once its own operations are applied", () => {
    expect(clusterAdoption(cluster(), fooCluster())).toEqual({ state: "patch", operations: [] });
  });

  it("corrects a wrong label", () => {
    const labelled = fooCluster({
      metadata: { labels: { "cluster.x-k8s.io/cluster-name": "c2", mine: "yes" } },
    });
    expect(clusterAdoption(cluster(), labelled)).toEqual({
      state: "patch",
      operations: [{ op: "add", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name", value: "c1" }],
    });
  });

  it("is no refusal when the controller is the Cluster itself, before a restore", () => {
    const before = { ...OWNED_BY_C1, uid: "uid-old", controller: true, blockOwnerDeletion: true };
    const planned = cluster({ spec: { topology: TOPOLOGY } });
    expect(clusterAdoption(planned, ownedBy(before))).toMatchObject({ state: "patch" });
    expect(clusterAdoption(planned, ownedBy(FOREIGN_CONTROLLER))).toMatchObject({
      state: "refused",
      controller: { name: "stack" },
    });
  });
});
