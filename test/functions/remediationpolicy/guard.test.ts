import { describe, expect, it } from "vitest";
import { remediationpolicyGuard } from "../../../functions/remediationpolicy/guard.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { OWNED_BY_C1 } from "../../support/foo-cluster.ts";
import { remediationPolicy } from "../../support/remediation-policies.ts";
import { decide, given } from "../../support/world.ts";

describe("remediationpolicy-guard", () => {
  it("gives a policy its cluster label and its Cluster as owner, by which it moves and goes with it", async () => {
    const { patch, result } = await decide(remediationpolicyGuard, given(cluster(), remediationPolicy()));
    expect(result).toEqual(done);
    expect(patch).toEqual([
      {
        target: expect.objectContaining({ name: "r1", uid: "uid-r1", resourceVersion: "70" }),
        operations: [
          { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
          { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_C1] },
        ],
      },
    ]);
    const labels = { "cluster.x-k8s.io/cluster-name": "c1" };
    const guarded = remediationPolicy({ metadata: { labels, ownerReferences: [OWNED_BY_C1] } });
    const again = await decide(remediationpolicyGuard, given(cluster(), guarded));
    expect(again.patch?.flatMap(({ operations }) => operations)).toEqual([]);
  });

  it("waits for the Cluster, and leaves a policy alone while that is paused", async () => {
    expect(await decide(remediationpolicyGuard, given(remediationPolicy()))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    const paused = cluster({ spec: { paused: true } });
    expect(await decide(remediationpolicyGuard, given(paused, remediationPolicy()))).toEqual({
      result: done,
    });
  });
});
