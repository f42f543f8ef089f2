import { describe, expect, it } from "vitest";
import { awaitedCompletion } from "../../../../functions/cluster/rules/completion.ts";
import { COMPLETED } from "../../../../functions/cluster/rules/deletion.ts";
import type { ClusterFacts } from "../../../../functions/cluster/rules/view.ts";
import { cluster, found, machineCondition, missing, unresolved } from "../../../support/builders.ts";
import { fooCluster, TOPOLOGY, viewWith } from "../../../support/foo-cluster.ts";

const UP = { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } };
const STRANGE = { metadata: { ownerReferences: undefined } };

function awaited(changes: Partial<ClusterFacts> = {}, status = {}): string | undefined {
  return awaitedCompletion(viewWith(changes), status);
}

describe("a Cluster", () => {
  it("waits for infrastructure, control plane and connection, in this order", () => {
    expect(awaited()).toBe("InfraCluster.status.initialization.provisioned");
    expect(awaited({}, { initialization: { infrastructureProvisioned: true } })).toBe(
      "ControlPlane.status.initialization.controlPlaneInitialized",
    );
    expect(awaited({ connection: undefined }, UP)).toBe("Connection.status.state");
    expect(awaited({}, UP)).toBeUndefined();
  });

  it.each([
    ["to exist", missing(fooCluster()), "InfraCluster.metadata.uid"],
    ["to be its own", found(fooCluster(STRANGE)), "InfraCluster.metadata.ownerReferences"],
    [
      "to be of a known contract",
      unresolved(true),
      "CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooCluster",
    ],
  ])("waits for an object %s", (_, infrastructure, what) => {
    const { controlPlane } = viewWith().providers;
    expect(awaited({ providers: { infrastructure, controlPlane } })).toBe(what);
  });

  it("waits for the first Node of its control plane, not for an object that it does not reference", () => {
    const bare = cluster({ spec: { infrastructureRef: undefined, controlPlaneRef: undefined } });
    const none = { infrastructure: undefined, controlPlane: undefined };
    expect(awaited({ cluster: bare, providers: none })).toBe("Machine.status.nodeRef");
    const conditions = [machineCondition("ControlPlaneInitialized", "True", "Initialized")];
    expect(awaited({ cluster: bare, providers: none }, { conditions })).toBeUndefined();
  });

  it("waits for the references that its topology has not brought", () => {
    const planned = (spec: object) => cluster({ spec: { topology: TOPOLOGY, ...spec } });
    const bare = planned({ infrastructureRef: undefined, controlPlaneRef: undefined });
    expect(awaited({ cluster: bare })).toBe("Cluster.spec.infrastructureRef");
    expect(awaited({ cluster: planned({ controlPlaneRef: undefined }) })).toBe(
      "Cluster.spec.controlPlaneRef",
    );
  });

  it("waits for what its deletion waits for", () => {
    expect(awaited({ deletion: { ...COMPLETED, awaits: "MachinePool.metadata.uid" } }, UP)).toBe(
      "MachinePool.metadata.uid",
    );
  });
});
