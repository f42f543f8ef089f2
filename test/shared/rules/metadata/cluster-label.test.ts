import { describe, expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { clusterKeyOf, readCluster } from "../../../../shared/function/guards.ts";
import { cluster, machine, machinePool } from "../../../support/builders.ts";

/** A reader that has Cluster c1 in two namespaces. */
const read = {
  get: async (kind: unknown, { namespace, name }: { readonly namespace: string; readonly name: string }) =>
    kind === Cluster && name === "c1" ? cluster({ metadata: { namespace } }) : undefined,
} as never;

describe("Cluster of an object", () => {
  it("is the one of its namespace, not that of its label", async () => {
    const metadata = { namespace: "other", labels: { "cluster.x-k8s.io/cluster-name": "c2" } };
    for (const object of [machine("m1", { metadata }), machinePool({ metadata })]) {
      expect(clusterKeyOf(object)).toEqual({ namespace: "other", name: "c1" });
      expect(await readCluster(read, object)).toEqual(cluster({ metadata: { namespace: "other" } }));
    }
  });

  it("is undefined while it does not exist", async () => {
    expect(await readCluster(read, machine("m1", { spec: { clusterName: "c2" } }))).toBeUndefined();
  });
});
