import { describe, expect, it } from "vitest";
import { simMachine as simMachineFunction } from "../../../../../infra/playground/functions/sim/machine.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, machine, type Overrides } from "../../../../support/builders.ts";
import { simInstance, simMachine } from "../../../../support/sim.ts";
import { decide, given } from "../../../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const FINALIZER = "machine.cluster.x-k8s.io";
const REFERENCE = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name: "i0" };

/** The Machine of SimMachine i0, kept by its own functions. */
function machineOf(metadata: Overrides<ReturnType<typeof machine>["metadata"]> = {}) {
  return machine("m0", {
    metadata: { finalizers: [FINALIZER], ...metadata },
    spec: { infrastructureRef: REFERENCE },
  });
}

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), simInstance("i0"), simMachine("i0"), machineOf(), ...objects);
}

/** Deletes as `Kind name`, patched objects with their first change. */
async function effects(to: ReturnType<typeof given>) {
  const { delete: deleted = [], patch = [] } = await decide(simMachineFunction, to);
  return [
    ...deleted.map(({ target }) => `delete ${target.kind.kind} ${target.name}`),
    ...patch.flatMap(({ target, operations }) =>
      operations.filter(({ op }) => op !== "test").map(({ op, path }) => `${op} ${target.kind.kind} ${path}`),
    ),
  ];
}

describe("sim-machine", () => {
  it("is provisioned once its instance runs, under both contracts", async () => {
    const booting = simInstance("i0", { status: { phase: "Pending" } });
    const { apply, result } = await decide(simMachineFunction, world(booting));
    expect(apply).toMatchObject({
      "status.conditions": [{ type: "Ready", status: "False" }, { type: "Paused" }],
    });
    expect(apply?.["status.ready"]).toBeUndefined();
    expect(result).toEqual(waitFor("SimInstance.status.phase"));
    expect(await decide(simMachineFunction, world())).toMatchObject({
      apply: { "status.initialization.provisioned": true, "status.ready": true },
      result: done,
    });
  });

  it("leaves a Machine alone, also when it goes: its own functions drain it first, then delete the SimMachine", async () => {
    expect(await effects(world(machineOf({ finalizers: undefined })))).toEqual([]);
    expect(await effects(world(machineOf({ deletionTimestamp: DELETED })))).toEqual([]);
  });

  it("deletes its instance first, then goes itself: its Machine waits for that", async () => {
    const going = simMachine("i0", { metadata: { deletionTimestamp: DELETED } });
    const to = world(going, machineOf({ deletionTimestamp: DELETED }));
    expect(await effects(to)).toEqual(["delete SimInstance i0"]);
    expect(await effects(to.without(simInstance("i0")))).toEqual([
      "remove SimMachine /metadata/finalizers/0",
    ]);
  });

  it("deletes no instance twice, and none that only has the name", async () => {
    const going = simMachine("i0", { metadata: { deletionTimestamp: DELETED } });
    const leaving = simInstance("i0", { metadata: { deletionTimestamp: DELETED } });
    expect(await effects(world(going, leaving))).toEqual([]);
    const successor = simInstance("i0", { spec: { providerID: "sim://another" } });
    const leavingToo = machineOf({ deletionTimestamp: DELETED });
    expect(await effects(world(going, successor, leavingToo))).toEqual([
      "remove SimMachine /metadata/finalizers/0",
    ]);
  });

  it("takes its Machine along when it is deleted, also one that no snapshot shows yet", async () => {
    const going = simMachine("i0", { metadata: { deletionTimestamp: DELETED } });
    const to = world(going).without(simInstance("i0"));
    expect(await effects(to)).toEqual(["delete Machine m0"]);
    const unseen = machine("i0", { spec: { infrastructureRef: REFERENCE } });
    expect(await effects(to.without(machineOf()).live(unseen))).toEqual(["delete Machine i0"]);
  });

  it("deletes its Machine, or without one itself, when the instance has gone by itself", async () => {
    const to = world().without(simInstance("i0"));
    expect(await effects(to)).toEqual(["delete Machine m0"]);
    expect(await effects(to.without(machineOf()))).toEqual(["delete SimMachine i0"]);
    expect(await effects(to.live(simInstance("i0")))).toEqual([]);
    expect(await effects(to.live(machineOf({ deletionTimestamp: DELETED })))).toEqual([]);
  });

  it("takes no Machine along when the SimMachine is gone or another one by now", async () => {
    const to = world().without(simInstance("i0"));
    expect(await effects(to.goneLive(simMachine("i0")))).toEqual([]);
    expect(await effects(to.live(simMachine("i0", { metadata: { uid: "uid-later" } })))).toEqual([]);
  });

  it("deletes itself first while no finalizer keeps the Machine, which would be recreated", async () => {
    const to = world(machineOf({ finalizers: undefined })).without(simInstance("i0"));
    expect(await effects(to)).toEqual(["delete SimMachine i0"]);
  });
});
