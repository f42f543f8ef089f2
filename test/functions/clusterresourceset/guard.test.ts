import { describe, expect, it } from "vitest";
import { clusterresourcesetGuard } from "../../../functions/clusterresourceset/guard.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import { MINUTE } from "../../../shared/function/define-function.ts";
import { done, requeueAfter } from "../../../shared/function/result.ts";
import {
  manifestMap,
  manifestSecret,
  NAMESPACE,
  OWNED_BY_S1,
  resourceSet,
} from "../../support/resource-sets.ts";
import { decide, given } from "../../support/world.ts";

const BOTH = resourceSet({
  spec: {
    resources: [
      { kind: "ConfigMap", name: "cni" },
      { kind: "Secret", name: "late" },
    ],
  },
});

describe("clusterresourceset-guard", () => {
  it("adds the finalizer, and the set as an owner of what it names", async () => {
    const bare = { ...BOTH, metadata: { ...BOTH.metadata, finalizers: undefined } };
    const { patch, result } = await decide(
      clusterresourcesetGuard,
      given(bare, manifestMap(), manifestSecret(NAMESPACE)),
    );
    expect(result).toEqual(done);
    const owner = { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_S1] };
    expect(patch).toEqual([
      {
        target: expect.objectContaining({ name: "s1" }),
        operations: [{ op: "add", path: "/metadata/finalizers", value: ["addons.cluster.x-k8s.io"] }],
      },
      { target: expect.objectContaining({ name: "cni", uid: "uid-cni" }), operations: [owner] },
      { target: expect.objectContaining({ name: "late", uid: "uid-late" }), operations: [owner] },
    ]);
  });

  it("owns no Secret of another type, which would end with the set", async () => {
    const decision = await decide(clusterresourcesetGuard, given(BOTH, manifestSecret(NAMESPACE, "Opaque")));
    expect(decision.patch?.flatMap(({ operations }) => operations)).toEqual([]);
    expect(decision.result).toEqual(done);
  });

  it("looks again for a Secret that is missing, and owns nothing while the set is paused", async () => {
    expect((await decide(clusterresourcesetGuard, given(BOTH))).result).toEqual(
      requeueAfter(MINUTE, "a Secret, which not every relay may watch"),
    );
    const paused = resourceSet({ metadata: { annotations: { [PAUSED_ANNOTATION]: "" } } });
    const { patch = [] } = await decide(clusterresourcesetGuard, given(paused, manifestMap()));
    expect(patch.flatMap(({ operations }) => operations)).toEqual([]);
  });
});
