import { describe, expect, it } from "vitest";
import { unreadyAmong } from "../../../../infra/cli/up/readiness.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { groupOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import { cluster, machinePool } from "../../../support/builders.ts";

async function unready(stored: readonly KubeObject[], asked: readonly KubeObject[] = stored) {
  await using store = createMemoryStore();
  for (const object of stored) {
    await store.put({ cluster: "management", group: groupOf(object.apiVersion), kind: object.kind }, [
      object,
    ]);
  }
  return (await unreadyAmong(store, asked)).map(({ object, why }) => `${object}: ${why}`);
}

const available = (status: "True" | "False") =>
  ({
    type: "Available",
    status,
    reason: "Available",
    message: status === "True" ? "" : "* WorkersAvailable: 1 of 3",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 1,
  }) as const;
const refs = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}` }));

describe("what keeps an example from being ready", () => {
  it("is nothing for a provisioned Cluster and a running pool with all its Nodes", async () => {
    expect(
      await unready([
        cluster({ status: { phase: "Provisioned", conditions: [available("True")] } }),
        machinePool({ status: { phase: "Running", nodeRefs: refs(3) } }),
      ]),
    ).toEqual([]);
  });

  it("is a missing object, a wrong phase, a missing Node", async () => {
    expect(await unready([], [cluster()])).toEqual(["Cluster default/c1: does not exist"]);
    expect(await unready([cluster({ status: { phase: "Provisioning", conditions: [] } })])).toEqual([
      "Cluster default/c1: phase is Provisioning, not Provisioned",
    ]);
    expect(await unready([machinePool({ status: { phase: "Running", nodeRefs: refs(2) } })])).toEqual([
      "MachinePool default/p1: some instances have no Node yet",
    ]);
  });

  it("is a provisioned Cluster that is not available", async () => {
    const status = { phase: "Provisioned", conditions: [available("False")] } as const;
    expect(await unready([cluster({ status })])).toEqual([
      "Cluster default/c1: condition Available is not True; Available: * WorkersAvailable: 1 of 3",
    ]);
  });

  it("is an available Cluster whose replicas are not all there", async () => {
    const status = { phase: "Provisioned", conditions: [available("True")] } as const;
    const counted = (availableReplicas: number | undefined) =>
      cluster({ status: { ...status, controlPlane: { desiredReplicas: 3, availableReplicas } } });
    expect(await unready([counted(1)])).toEqual([
      "Cluster default/c1: 1 of 3 replicas of the control plane are available",
    ]);
    expect(await unready([counted(3)])).toEqual([]);
    expect(await unready([counted(undefined)])).toEqual([]);
  });

  it("says why a phase is not reached: the message of the condition, else its reason", async () => {
    const entry = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 };
    const conditions = [
      { ...entry, type: "BootstrapConfigReady", status: "False", reason: "NotReady", message: "no\nSecret" },
      { ...entry, type: "InfrastructureReady", status: "Unknown", reason: "InternalError", message: "" },
      { ...entry, type: "Available", status: "False", reason: "NotAvailable", message: "left out" },
    ] as const;
    expect(await unready([machinePool({ status: { phase: "Pending", conditions } })])).toEqual([
      "MachinePool default/p1: phase is Pending, not Running; BootstrapConfigReady: no Secret; InfrastructureReady: InternalError",
    ]);
    expect(await unready([machinePool()])).toEqual([
      "MachinePool default/p1: phase is not set, not Running; no function has written its status yet",
    ]);
  });

  it("does not look at other kinds, and finds objects whose manifest leaves the namespace out", async () => {
    expect(await unready([], [{ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } }])).toEqual([]);
    const asked = cluster({ metadata: { namespace: undefined } });
    const status = { phase: "Provisioned", conditions: [available("True")] } as const;
    expect(await unready([cluster({ status })], [asked])).toEqual([]);
  });
});
