import { describe, expect, it } from "vitest";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { changed, manifest } from "../manifests.ts";

async function cluster(file: string): Promise<unknown> {
  return (await manifest(file))[0];
}

const status = {
  initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
  controlPlane: { desiredReplicas: 3, replicas: 3, versions: [{ version: "v1.34.2", replicas: 3 }] },
  workers: { upToDateReplicas: 0 },
  failureDomains: [{ name: "a", controlPlane: true, attributes: { rack: "1" } }],
  phase: "Provisioned",
  observedGeneration: 1,
};

describe("Cluster", () => {
  it.each(["self-managed.yaml", "managed.yaml", "topology.yaml"])("keeps every field of %s", async (file) => {
    const object = await cluster(file);
    expect(Cluster.schema?.().parse(object)).toEqual(object);
  });

  it("keeps a complete status", async () => {
    const object = changed(await cluster("managed.yaml"), "status", status);
    expect(Cluster.schema?.().parse(object)).toEqual(object);
  });

  it.each([
    ["without anything in its spec", "managed.yaml", "spec", {}],
    ["with a port beyond 65535", "managed.yaml", "spec/controlPlaneEndpoint/port", 65_536],
    ["with an endpoint that sets nothing", "managed.yaml", "spec/controlPlaneEndpoint", {}],
    ["without address ranges", "self-managed.yaml", "spec/clusterNetwork/pods/cidrBlocks", []],
    ["with a namespace in a reference's name", "managed.yaml", "spec/infrastructureRef/name", "ns/eks-1"],
    [
      "with the same failure domain twice",
      "managed.yaml",
      "status",
      {
        failureDomains: [{ name: "a" }, { name: "a" }],
      },
    ],
    ["with observedGeneration 0", "managed.yaml", "status", { observedGeneration: 0 }],
    ["with a topology without a version", "topology.yaml", "spec/topology/version", undefined],
    ["with a variable without a value", "topology.yaml", "spec/topology/variables/0/value", undefined],
    ["with a malformed date", "topology.yaml", "spec/topology/controlPlane/rollout/after", "tomorrow"],
    ["with workers that set nothing", "topology.yaml", "spec/topology/workers", {}],
    [
      "with a health check on its own outcome",
      "topology.yaml",
      "spec/topology/controlPlane/healthCheck/checks/unhealthyMachineConditions/0/type",
      "HealthCheckSucceeded",
    ],
  ])("is refused %s", async (_, file, pointer, value) => {
    expect(Cluster.schema?.().safeParse(changed(await cluster(file), pointer, value)).success).toBe(false);
  });
});
