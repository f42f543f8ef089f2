import { describe, expect, it } from "vitest";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { changed, manifest } from "./manifests.ts";

async function pool(file: string): Promise<unknown> {
  return (await manifest(file))[1];
}

const time = "2026-11-21T03:00:00Z";
const status = {
  conditions: [
    { type: "Paused", status: "False", reason: "NotPaused", message: "", lastTransitionTime: time },
  ],
  initialization: { infrastructureProvisioned: true },
  nodeRefs: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "u1" }],
  versions: [{ version: "v1.34.2", replicas: 3 }],
  phase: "Running",
  observedGeneration: 2,
  deprecated: {
    v1beta1: { readyReplicas: 3, conditions: [{ type: "Ready", status: "True", lastTransitionTime: time }] },
  },
};

describe("MachinePool", () => {
  it.each(["self-managed.yaml", "managed.yaml"])("keeps every field of %s", async (file) => {
    const object = await pool(file);
    expect(MachinePool.schema?.().parse(object)).toEqual(object);
  });

  it("keeps a complete status, and metadata that it does not know", async () => {
    const object = changed(changed(await pool("managed.yaml"), "status", status), "metadata/managers", {
      "spec.replicas": ["kubectl"],
    });
    expect(MachinePool.schema?.().parse(object)).toEqual(object);
  });

  it("prunes fields that the API does not have", async () => {
    const object = await pool("self-managed.yaml");
    expect(MachinePool.schema?.().parse(changed(object, "spec/template/spec/providerId", "x"))).toEqual(
      object,
    );
  });

  it.each([
    ["without a Cluster name", "spec/clusterName", undefined],
    ["without a template", "spec/template", undefined],
    [
      "with a reference in the old form",
      "spec/template/spec/infrastructureRef",
      {
        apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
        kind: "DockerMachinePool",
        name: "p",
      },
    ],
    ["with a malformed kind", "spec/template/spec/infrastructureRef/kind", "Docker Machine Pool"],
    ["with replicas as text", "spec/replicas", "3"],
    ["with replicas beyond int32", "spec/replicas", 2 ** 31],
    ["with a negative timeout", "spec/template/spec/deletion/nodeDrainTimeoutSeconds", -1],
    ["with deletion settings that set nothing", "spec/template/spec/deletion", {}],
    ["with an empty provider ID", "spec/providerIDList", ["sim://a", ""]],
    [
      "with the same gate twice",
      "spec/template/spec/readinessGates",
      [{ conditionType: "example.com/a" }, { conditionType: "example.com/a", polarity: "Negative" }],
    ],
    ["with an unknown phase", "status", { phase: "Weird" }],
    ["with an empty status", "status", {}],
    [
      "with two conditions of one type",
      "status",
      { conditions: [status.conditions[0], status.conditions[0]] },
    ],
    [
      "with a condition without a time",
      "status",
      {
        conditions: [{ type: "Paused", status: "False", reason: "NotPaused", message: "" }],
      },
    ],
    ["with an empty reason", "status", { conditions: [{ ...status.conditions[0], reason: "" }] }],
  ])("is refused %s", async (_, pointer, value) => {
    const result = MachinePool.schema?.().safeParse(changed(await pool("self-managed.yaml"), pointer, value));
    expect(result?.success).toBe(false);
  });
});
