import { describe, expect, it } from "vitest";
import { clusterresourcesetBinding } from "../../../functions/clusterresourceset/binding.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { OWNED_BY_C1 } from "../../support/foo-cluster.ts";
import { OWNED_BY_S1, resourceBinding } from "../../support/resource-sets.ts";
import { decide, given } from "../../support/world.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const TOPOLOGY = { spec: { topology: { classRef: { name: "x" }, version: "v1.34.2" } } };

describe("clusterresourceset-binding", () => {
  it("deletes the binding of a Cluster that is gone or going, once the API server says so", async () => {
    for (const world of [given(resourceBinding([])), given(resourceBinding([]), cluster(GOING))]) {
      const decision = await decide(clusterresourcesetBinding, world);
      expect(decision.delete).toMatchObject([{ target: { uid: "uid-b1", resourceVersion: "85" } }]);
    }
    const unseen = given(resourceBinding([])).live(cluster());
    expect(await decide(clusterresourcesetBinding, unseen)).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(await decide(clusterresourcesetBinding, given(resourceBinding([]), cluster()))).toEqual({
      result: done,
    });
  });

  it("waits for the hook of a topology", async () => {
    const held = cluster({ ...GOING, ...TOPOLOGY });
    expect(await decide(clusterresourcesetBinding, given(resourceBinding([]), held))).toEqual({
      result: done,
    });
    const annotations = { "runtime.cluster.x-k8s.io/ok-to-delete": "" };
    const released = cluster({ metadata: { ...GOING.metadata, annotations }, ...TOPOLOGY });
    const { delete: deletes } = await decide(clusterresourcesetBinding, given(resourceBinding([]), released));
    expect(deletes).toHaveLength(1);
  });

  it("names the Cluster of a binding of old in the spec, and no longer as its owner", async () => {
    const old = resourceBinding([], {
      metadata: { ownerReferences: [OWNED_BY_S1, OWNED_BY_C1] },
      spec: { clusterName: undefined },
    });
    const { patch } = await decide(clusterresourcesetBinding, given(old, cluster()));
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/clusterName", value: "c1" },
      { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_S1] },
    ]);
  });
});
