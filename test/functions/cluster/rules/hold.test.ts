import { describe, expect, it } from "vitest";
import { WORKABLE_CLUSTER } from "../../../../functions/cluster/rules/hold.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { done, refusedBy, waitFor } from "../../../../shared/function/define-function.ts";
import { cluster } from "../../../support/builders.ts";
import { deletedCluster, TOPOLOGY } from "../../../support/foo-cluster.ts";

const clusterHold = (of: Cluster) => refusedBy(WORKABLE_CLUSTER, of, of)?.result;

describe("the guards of a Cluster", () => {
  it("lets go of a guarded Cluster", () => {
    expect(clusterHold(cluster())).toBeUndefined();
    expect(clusterHold(cluster({ spec: { topology: TOPOLOGY } }))).toBeUndefined();
  });

  it.each([
    ["is being deleted", deletedCluster({ spec: { paused: true } }), done],
    ["is paused", cluster({ spec: { paused: true } }), waitFor("Cluster.spec.paused")],
    [
      "is paused by annotation",
      cluster({ metadata: { annotations: { "cluster.x-k8s.io/paused": "false" } } }),
      waitFor("Cluster.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    [
      "is not guarded",
      cluster({ metadata: { finalizers: ["example.com/other"] } }),
      waitFor("Cluster.metadata.finalizers"),
    ],
    [
      "awaits its topology",
      cluster({ spec: { topology: TOPOLOGY, infrastructureRef: undefined } }),
      waitFor("Cluster.spec.infrastructureRef"),
    ],
  ])("holds a Cluster that %s", (_, held, result) => {
    expect(clusterHold(held)).toEqual(result);
  });
});
