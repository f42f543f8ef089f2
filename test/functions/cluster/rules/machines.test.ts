import { describe, expect, it } from "vitest";
import {
  asWorkers,
  clusterMachines,
  countedMachines,
  hasControlPlaneNode,
  machineConditions,
} from "../../../../functions/cluster/rules/machines.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { cluster, machine, machineCondition, type Overrides } from "../../../support/builders.ts";
import { OWNED_BY_C1 } from "../../../support/foo-cluster.ts";
import { NOW } from "../../../support/world.ts";

const CONTROL_PLANE = { "cluster.x-k8s.io/control-plane": "" };
const GOOD = ["Ready", "Available", "UpToDate"].map((type) => machineCondition(type, "True", type));

/** A Machine of no pool. */
function alone(name: string, labels: { readonly [label: string]: string }, more: Overrides<Machine> = {}) {
  const plain = machine(name, { metadata: { ownerReferences: [OWNED_BY_C1] }, ...more });
  return { ...plain, metadata: { ...plain.metadata, labels } };
}

function reported(machines: readonly Machine[]): readonly string[] {
  return machineConditions(clusterMachines(machines), NOW).map(({ type, status, reason, message }) =>
    `${type} ${status} ${reason} ${message}`.trim(),
  );
}

describe("Machines of a Cluster", () => {
  it("are control plane or workers, by label", () => {
    const { controlPlane, workers } = clusterMachines([alone("cp", CONTROL_PLANE), alone("w", {})]);
    expect(controlPlane.map(({ metadata }) => metadata.name)).toEqual(["cp"]);
    expect(workers.map(({ metadata }) => metadata.name)).toEqual(["w"]);
  });

  it("initialize the control plane with the first Node of a control plane Machine", () => {
    const node = { status: { nodeRef: { name: "n1" } } };
    expect(hasControlPlaneNode(clusterMachines([alone("cp", CONTROL_PLANE), alone("w", {}, node)]))).toBe(
      false,
    );
    expect(hasControlPlaneNode(clusterMachines([alone("cp", CONTROL_PLANE, node)]))).toBe(true);
  });

  it("count as one replica each, of the version that the kubelet reports", () => {
    const nodeInfo = { kubeletVersion: "v1.33.0" } as NonNullable<Machine["status"]>["nodeInfo"];
    const good = alone("m1", {}, { status: { conditions: GOOD, nodeInfo } });
    expect(asWorkers(good)).toMatchObject({
      spec: { replicas: 1 },
      status: {
        replicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        upToDateReplicas: 1,
        versions: [{ version: "v1.33.0", replicas: 1 }],
      },
    });
    const young = alone("m2", {}, { status: { conditions: [] } });
    expect(asWorkers(young).status).toMatchObject({
      readyReplicas: undefined,
      versions: [{ version: "v1.34.2", replicas: 1 }],
    });
    expect(asWorkers(alone("m3", {}, { spec: { version: undefined } })).status?.versions).toEqual([]);
  });

  it("count among the workers only where the Cluster owns them itself", () => {
    const ofSet = alone(
      "m2",
      {},
      { metadata: { ownerReferences: [{ ...OWNED_BY_C1, kind: "MachineSet" }] } },
    );
    const machines = clusterMachines([alone("m1", {}), ofSet, alone("cp", CONTROL_PLANE)]);
    expect(countedMachines(cluster(), machines).map(({ metadata }) => metadata.name)).toEqual(["m1"]);
  });

  it("say nothing where there are none", () => {
    expect(reported([])).toEqual([
      "ControlPlaneMachinesReady True NoReplicas",
      "ControlPlaneMachinesUpToDate True NoReplicas",
      "WorkerMachinesReady True NoReplicas",
      "WorkerMachinesUpToDate True NoReplicas",
      "Remediating False NotRemediating",
    ]);
  });

  it("are judged apart for control plane and workers, and together for remediation", () => {
    const bad = [
      machineCondition("Ready", "False", "NotReady", "no Node"),
      machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
      machineCondition("OwnerRemediated", "False", "WaitingForRemediation", "waits"),
    ];
    expect(
      reported([
        alone("cp", CONTROL_PLANE, { status: { conditions: bad } }),
        alone("w", {}, { status: { conditions: GOOD } }),
      ]),
    ).toEqual([
      "ControlPlaneMachinesReady False NotReady * Machine cp: no Node",
      "ControlPlaneMachinesUpToDate Unknown UpToDateUnknown * Machine cp: Condition UpToDate not yet reported",
      "WorkerMachinesReady True Ready",
      "WorkerMachinesUpToDate True UpToDate",
      "Remediating True Remediating * Machine cp: waits",
    ]);
  });

  it("need not report UpToDate for their first 10 s", () => {
    const young = alone(
      "w",
      {},
      {
        metadata: { ownerReferences: [OWNED_BY_C1], creationTimestamp: "2026-01-01T11:59:55Z" },
        status: { conditions: [] },
      },
    );
    expect(reported([young])[3]).toBe("WorkerMachinesUpToDate True NoReplicas");
  });
});
