import { describe, expect, it } from "vitest";
import { clusterresourcesetDelete } from "../../../functions/clusterresourceset/delete.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { resourceBinding, resourceSet } from "../../support/resource-sets.ts";
import { decide, given } from "../../support/world.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const RELEASE = [
  { op: "test", path: "/metadata/finalizers/0", value: "addons.cluster.x-k8s.io" },
  { op: "remove", path: "/metadata/finalizers/0" },
];

describe("clusterresourceset-delete", () => {
  it("takes the set out of each binding, deletes one without entries, and lets the set go last", async () => {
    const other = { clusterResourceSetName: "s2" };
    const alone = resourceBinding([{ kind: "ConfigMap", name: "cni", applied: true }]);
    const shared = resourceBinding(undefined, {
      metadata: { name: "c2", uid: "uid-b2" },
      spec: { clusterName: "c2", bindings: [{ clusterResourceSetName: "s1" }, other] },
    });
    const decision = await decide(clusterresourcesetDelete, given(resourceSet(GOING), alone, shared));
    expect(decision.delete).toMatchObject([{ target: { name: "c1", uid: "uid-b1", resourceVersion: "85" } }]);
    expect(decision.patch).toMatchObject([
      {
        target: { name: "c2", uid: "uid-b2" },
        operations: [
          { op: "add", path: "/spec/bindings", value: [other] },
          { op: "add", path: "/metadata/ownerReferences", value: [] },
        ],
      },
      { target: { name: "s1" }, operations: RELEASE },
    ]);
    expect(decision.result).toEqual(done);
  });

  it("leaves a paused set as it is", async () => {
    const metadata = { ...GOING.metadata, annotations: { [PAUSED_ANNOTATION]: "" } };
    expect(await decide(clusterresourcesetDelete, given(resourceSet({ metadata })))).toEqual({
      result: waitFor(`ClusterResourceSet.metadata.annotations[${PAUSED_ANNOTATION}]`),
    });
  });
});
