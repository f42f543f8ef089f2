import { describe, expect, it } from "vitest";
import { clusterHold } from "../../../../functions/cluster/rules/hold.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { cluster } from "../../../support/builders.ts";
import { deletedCluster, TOPOLOGY } from "../../../support/foo-cluster.ts";

describe("clusterHold", () => {
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
