import { describe, expect, it } from "vitest";
import { clusterDeletion, type ProviderToDelete } from "../../../../functions/cluster/rules/deletion.ts";
import { DESCENDANTS, type Descendants } from "../../../../functions/cluster/rules/descendants.ts";
import { cluster, machinePool } from "../../../support/builders.ts";
import {
  deletedCluster,
  fooCluster,
  fooControlPlane,
  found,
  missing,
  TOPOLOGY,
  unresolved,
} from "../../../support/foo-cluster.ts";

const GONE: ProviderToDelete = { provider: missing("Foo"), sharedWith: undefined };

function toDelete(
  provider: ProviderToDelete["provider"],
  sharedWith?: ProviderToDelete["sharedWith"],
): ProviderToDelete {
  return { provider, sharedWith };
}

function stageOf(
  of: Parameters<typeof clusterDeletion>[0],
  descending: readonly Descendants[],
  controlPlane: ProviderToDelete,
  infrastructure: ProviderToDelete,
) {
  return clusterDeletion(of, descending, { controlPlane, infrastructure, topologyRuns: true });
}

/** Objects of these names as descendants of this kind; names that start with `cp` are control plane Machines. */
function descendants(kind: string, ...names: readonly string[]): Descendants {
  const of = DESCENDANTS.find((entry) => entry.kind.kind === kind);
  if (of === undefined) throw new Error(`no descendants of kind ${kind}`);
  const label = (name: string) => (name.startsWith("cp") ? { "cluster.x-k8s.io/control-plane": "" } : {});
  return { of, objects: names.map((name) => machinePool({ metadata: { name, labels: label(name) } })) };
}

describe("clusterDeletion", () => {
  it("waits for the topology's hook before anything else", () => {
    const planned = deletedCluster({ spec: { topology: TOPOLOGY } });
    expect(stageOf(planned, [descendants("MachinePool", "p1")], GONE, GONE)).toMatchObject({
      reason: "WaitingForBeforeDeleteHook",
      message: "Waiting for BeforeClusterDelete hook",
      remove: [],
    });
  });

  it("waits for no hook where no topology controller runs", () => {
    const planned = deletedCluster({ spec: { topology: TOPOLOGY } });
    const facts = { controlPlane: GONE, infrastructure: GONE, topologyRuns: false };
    expect(clusterDeletion(planned, [], facts).reason).toBe("DeletionCompleted");
  });

  it("names pending descendants by kind, names sorted, at most five each", () => {
    const pending = [
      descendants("MachineDeployment", "b", "a"),
      descendants("MachineSet", "s"),
      descendants("MachinePool", "p7", "p6", "p5", "p4", "p3", "p2", "p1"),
      descendants("Machine", "m", "cp1"),
    ];
    const lines = [
      "* MachineDeployments: a, b",
      "* MachineSets: s",
      "* MachinePools: p1, p2, p3, p4, p5, ... (2 more)",
      "* Worker Machines: m",
    ];
    const message = (of: ReturnType<typeof cluster>) => stageOf(of, pending, GONE, GONE).message;
    expect(message(deletedCluster())).toBe(lines.join("\n"));
    expect(message(deletedCluster({ spec: { controlPlaneRef: undefined } }))).toBe(
      ["* Control plane Machines: cp1", ...lines].join("\n"),
    );
  });

  it("does not wait for control plane Machines of a control plane object", () => {
    expect(stageOf(deletedCluster(), [descendants("Machine", "cp1")], GONE, GONE).reason).toBe(
      "DeletionCompleted",
    );
  });

  it("goes stage by stage: control plane object, infra object, done", () => {
    const [infra, controlPlane] = [toDelete(found(fooCluster())), toDelete(found(fooControlPlane()))];
    expect(stageOf(deletedCluster(), [], controlPlane, infra)).toMatchObject({
      reason: "WaitingForControlPlaneDeletion",
      message: "Waiting for FooControlPlane to be deleted",
      remove: [{ object: { kind: "FooControlPlane" } }],
    });
    expect(stageOf(deletedCluster(), [], GONE, infra)).toMatchObject({
      reason: "WaitingForInfrastructureDeletion",
      message: "Waiting for FooCluster to be deleted",
      remove: [{ object: { kind: "FooCluster" } }],
    });
    expect(stageOf(deletedCluster(), [], GONE, GONE)).toMatchObject({
      reason: "DeletionCompleted",
      message: "Deletion completed",
    });
  });

  it.each([
    ["was never referenced", toDelete(undefined)],
    ["does not exist", GONE],
    ["lost its CRD", toDelete(unresolved(false))],
    ["is left to another Cluster", toDelete(found(fooControlPlane()), cluster())],
  ])("takes an object that %s as gone", (_, controlPlane) => {
    expect(stageOf(deletedCluster(), [], controlPlane, GONE).reason).toBe("DeletionCompleted");
  });

  it("is held up by an object that cannot be read, and names the CRD", () => {
    expect(stageOf(deletedCluster(), [], toDelete(unresolved()), GONE)).toMatchObject({
      reason: "InternalError",
      message: "CustomResourceDefinition of FooCluster has no label",
      remove: [],
    });
  });
});
