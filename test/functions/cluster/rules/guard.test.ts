import { describe, expect, it } from "vitest";
import { clusterGuardPatch } from "../../../../functions/cluster/rules/guard.ts";
import { cluster } from "../../../support/builders.ts";
import { deletedCluster } from "../../../support/foo-cluster.ts";

describe("clusterGuardPatch", () => {
  it("adds the finalizer once, and never to a Cluster that is being deleted", () => {
    const bare = { metadata: { finalizers: undefined } };
    expect(clusterGuardPatch(cluster(bare))).toHaveLength(1);
    expect(clusterGuardPatch(cluster({ ...bare, spec: { paused: true } }))).toHaveLength(1);
    expect(clusterGuardPatch(cluster())).toEqual([]);
    expect(clusterGuardPatch(deletedCluster(bare))).toEqual([]);
  });
});
