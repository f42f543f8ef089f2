import { describe, expect, it } from "vitest";
import { clusterGuard } from "../../../functions/cluster/guard.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import { done } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { deletedCluster, TOPOLOGY } from "../../support/foo-cluster.ts";
import { decide, given } from "../../support/world.ts";

const FINALIZER = "cluster.cluster.x-k8s.io";

describe("cluster-guard", () => {
  it("adds the finalizer to a Cluster that has none", async () => {
    const bare = cluster({ metadata: { finalizers: undefined } });
    expect(await decide(clusterGuard, given(bare))).toEqual({
      patch: [
        {
          target: refTo(Cluster, bare),
          operations: [{ op: "add", path: "/metadata/finalizers", value: [FINALIZER] }],
        },
      ],
      result: done,
    });
  });

  it("appends the finalizer behind those of others", async () => {
    const world = given(cluster({ metadata: { finalizers: ["example.com/other"] } }));
    expect((await decide(clusterGuard, world)).patch?.[0]?.operations).toEqual([
      { op: "add", path: "/metadata/finalizers/-", value: FINALIZER },
    ]);
  });

  it.each([
    ["the Cluster is paused", cluster({ spec: { paused: true } })],
    [
      "the Cluster has the annotation",
      cluster({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
    ],
    [
      "the topology has not named its objects",
      cluster({ spec: { topology: TOPOLOGY, infrastructureRef: undefined, controlPlaneRef: undefined } }),
    ],
  ])("adds the finalizer also while %s", async (_, held) => {
    const bare = { ...held, metadata: { ...held.metadata, finalizers: [] } };
    expect((await decide(clusterGuard, given(bare))).patch).toHaveLength(1);
  });

  it("writes nothing when the finalizer is there", async () => {
    expect(await decide(clusterGuard, given(cluster()))).toEqual({ result: done });
  });

  it("never adds a finalizer to a Cluster that is being deleted", async () => {
    const world = given(deletedCluster({ metadata: { finalizers: ["example.com/other"] } }));
    expect(await decide(clusterGuard, world)).toEqual({ result: done });
  });
});
