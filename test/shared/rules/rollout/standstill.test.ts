import { describe, expect, it } from "vitest";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import { isOverdue, overdueInMs, standstill } from "../../../../shared/rules/rollout/standstill.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";
import { setMachine } from "../../../support/foo-sets.ts";
import { NOW } from "../../../support/world.ts";

/** A set of an older template. */
function oldSet(replicas: number, overrides: Overrides<MachineSet> = {}): MachineSet {
  const counts = { replicas, availableReplicas: replicas, upToDateReplicas: 0, observedGeneration: 2 };
  const old = setOfDeployment("d1-old", {
    metadata: { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "1" } },
    spec: { replicas, template: { spec: { version: "v1.30.0" } } },
    status: counts,
  });
  return { ...old, ...overrides, status: { ...old.status, ...overrides.status } } as MachineSet;
}

/** The set of the present template. */
function newSet(replicas: number, available: number, conditions: Condition[] = []): MachineSet {
  const counts = {
    replicas,
    availableReplicas: available,
    upToDateReplicas: replicas,
    observedGeneration: 2,
  };
  return setOfDeployment("d1-new", {
    metadata: { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "2" } },
    spec: { replicas },
    status: { ...counts, conditions },
  });
}

function ofNew(name: string, overrides: Overrides<Machine> = {}): Machine {
  const owner = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineSet",
    name: "d1-new",
    uid: "uid-d1-new",
  };
  return setMachine(name, {
    ...overrides,
    metadata: { ...overrides.metadata, ownerReferences: [{ ...owner, controller: true }] },
  });
}

function standing(
  sets: readonly MachineSet[],
  machines: readonly Machine[] = [],
  deployment: Overrides<MachineDeployment> = {},
) {
  return standstill({ deployment: machineDeployment(deployment), sets, machines, now: NOW });
}

const BOUNDS = "at least 3 must be available, and at most 4 may be there";

describe("a rollout stands still", () => {
  it("not while its next step can be taken, when it is done or its deployment goes", () => {
    expect(standing([oldSet(3)])).toBeUndefined();
    expect(standing([newSet(3, 3)])).toBeUndefined();
    const deletionTimestamp = "2026-01-01T11:00:00Z";
    expect(standing([newSet(1, 0), oldSet(3)], [], { metadata: { deletionTimestamp } })).toBeUndefined();
  });

  it("while a new Machine is not available, and names it", () => {
    const ready = machineCondition("Ready", "False", "NotReady", "* NodeHealthy: Node is not ready");
    const machines = [ofNew("m2"), ofNew("m1", { status: { conditions: [ready] } })];
    expect(standing([newSet(1, 0), oldSet(3)], machines)).toMatchObject({
      cause: `1 of 1 Machine of MachineSet d1-new is not available (m1: NodeHealthy: Node is not ready); ${BOUNDS}`,
      isHeld: false,
    });
    expect(standing([newSet(3, 1)], [ofNew("m1")])?.cause).toBe(
      `2 of 3 Machines of MachineSet d1-new are not available (m1: not ready yet); ${BOUNDS}`,
    );
    expect(standing([newSet(1, 0), oldSet(3)])?.cause).toBe(
      `1 of 1 Machine of MachineSet d1-new is not available; ${BOUNDS}`,
    );
  });

  it("while remediation of a new Machine has to wait", () => {
    const text = "Waiting because there are already too many remediations in progress";
    const conditions = [
      machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
      machineCondition("OwnerRemediated", "False", "Deferred", text),
    ];
    expect(standing([newSet(1, 0), oldSet(3)], [ofNew("m1", { status: { conditions } })])?.cause).toContain(
      `(m1: ${text})`,
    );
  });

  it("while checks keep the new set from making Machines", () => {
    const up = machineCondition(
      "ScalingUp",
      "True",
      "ScalingUp",
      'Scaling up from 0 to 1 replicas is blocked because:\n* FooControlPlane default/c1 is upgrading ("ControlPlaneIsStable" preflight check failed)',
    );
    const set = newSet(1, 0, [up]);
    expect(standing([{ ...set, status: { ...set.status, replicas: 0 } }, oldSet(3)])?.cause).toBe(
      `MachineSet d1-new makes no Machine: FooControlPlane default/c1 is upgrading ("ControlPlaneIsStable" preflight check failed); ${BOUNDS}`,
    );
  });

  it("while a template of the due set is missing", () => {
    const message = "Scaling up would be blocked because FooMachineTemplate does not exist";
    const conditions = [machineCondition("ScalingUp", "False", "NotScalingUp", message)];
    expect(standing([oldSet(3)], [], { status: { conditions } })).toMatchObject({
      cause: "no MachineSet can be made: FooMachineTemplate does not exist",
    });
    expect(standing([newSet(3, 3)], [], { status: { conditions } })).toBeUndefined();
  });

  it("while Machines go that fill the limit", () => {
    const deleting = machineCondition("Deleting", "True", "DrainingNode", "Drain not completed\nyet");
    const machines = [
      setMachine("m2", { metadata: { deletionTimestamp: "2026-01-01T11:30:00Z" } }),
      setMachine("m1", {
        metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" },
        status: { conditions: [deleting] },
      }),
    ];
    const sets = [newSet(1, 1), oldSet(2, { status: { replicas: 3 } })];
    expect(standing(sets, machines)).toMatchObject({
      cause:
        "Machines that are being deleted are not gone yet (m1: Drain not completed yet); at most 4 may be there",
      next: "capstan explain machine default/m1 says what keeps it",
    });
    expect(standing(sets, machines.slice(0, 1))?.cause).toContain("(m2)");
    expect(standing(sets)?.next).toContain("machineset");
  });

  it("by the wish of a person: paused, or OnDelete", () => {
    const paused = { spec: { paused: true } };
    expect(standing([oldSet(3)], [], paused)).toMatchObject({ cause: "spec.paused is true", isHeld: true });
    expect(standing([newSet(3, 3)], [], paused)).toBeUndefined();
    const onDelete = {
      spec: { rollout: { strategy: { type: "OnDelete", rollingUpdate: undefined } } },
    } as const;
    const { cause, isHeld } = standing([newSet(0, 0), oldSet(3)], [], onDelete) ?? {};
    expect({ cause, isHeld }).toEqual({
      cause: "strategy OnDelete: 3 Machines of d1-old run until deleted by a person",
      isHeld: true,
    });
    expect(standing([newSet(2, 2), oldSet(1)], [], onDelete)?.cause).toContain("1 Machine of d1-old runs");
  });

  it("since its last progress, and for too long after ten minutes", () => {
    const since = "2026-01-01T11:50:00Z";
    const up = { ...machineCondition("ScalingUp", "False", "NotScalingUp"), lastTransitionTime: since };
    const other = {
      ...machineCondition("Paused", "False", "NotPaused"),
      lastTransitionTime: "2026-01-01T11:59:00Z",
    };
    const found = standing([newSet(1, 0, [up, other]), oldSet(3)]);
    expect(found?.since).toBe(since);
    if (found === undefined) return;
    const at = (time: string) => isOverdue(found, new Date(time));
    expect([at("2026-01-01T11:59:59Z"), at("2026-01-01T12:00:00Z")]).toEqual([false, true]);
    expect(overdueInMs(found, new Date("2026-01-01T11:59:59Z"))).toBe(1_000);
    expect(isOverdue({ ...found, isHeld: true }, new Date("2026-01-02T12:00:00Z"))).toBe(false);
    expect(isOverdue({ ...found, since: undefined }, new Date("2026-01-02T12:00:00Z"))).toBe(false);
  });
});
