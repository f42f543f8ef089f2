import { describe, expect, it } from "vitest";
import { CLOUD_FINALIZER } from "../../../../../../infra/playground/api/sim-cloud.ts";
import { newServer } from "../../../../../../infra/playground/functions/sim/rules/server.ts";
import { cluster } from "../../../../../support/builders.ts";

const OWNER = {
  apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
  kind: "SimCluster",
  name: "c1-infra",
  uid: "u",
};

describe("the workload API server of a Cluster", () => {
  it.each([
    ["starts with the Cluster", { onMachines: false }, { clusterName: "c1" }],
    ["waits for Machines", { onMachines: true }, { clusterName: "c1", onMachines: true }],
    ["listens where the Cluster says", { onMachines: false, port: 6443 }, { clusterName: "c1", port: 6443 }],
  ])("%s", (_, options, given) => {
    const now = new Date(36 ** 3);
    const { object } = newServer(OWNER, cluster(), { ...options, now });
    // Its identity is in the spec, where a move carries it.
    const spec = { ...given, serverID: "sim://default/c1/1000" };
    expect(object).toMatchObject({
      metadata: { name: "c1", namespace: "default", ownerReferences: [OWNER], finalizers: [CLOUD_FINALIZER] },
      spec,
    });
    expect((object as { readonly spec?: unknown }).spec).toEqual(spec);
  });
});
