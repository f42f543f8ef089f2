import { describe, expect, it } from "vitest";
import {
  missingSimMachines,
  orphanedMachines,
  ownParts,
  removalOf,
  withFaults,
} from "../../../../../../infra/playground/functions/sim/rules/fleet.ts";
import { machine, machinePool } from "../../../../../support/builders.ts";
import { simInstance, simMachine, simMachinePool } from "../../../../../support/sim.ts";
import { NOW } from "../../../../../support/world.ts";

const TRUTH = { providerIDs: ["sim://a", "sim://b"], replicas: 2, ready: true };
const HOURS_OLD = 12;

describe("what a simulated pool reports", () => {
  it("is not ready any more from an age on, and says until when it is", () => {
    const at = (hours: number) => {
      const faults = { notReadyAfterSeconds: hours * 3600 };
      return withFaults(simMachinePool({ spec: { faults } }), TRUTH, NOW);
    };
    expect(at(HOURS_OLD + 1)).toMatchObject({ ready: true, changesInMs: 3_600_000 });
    expect(at(HOURS_OLD)).toMatchObject({ ready: false, changesInMs: undefined });
    const booting = { ...TRUTH, ready: false };
    expect(withFaults(simMachinePool(), booting, NOW).ready).toBe(false);
  });
});

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const REFERENCE = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine" };
const machineOf = (name: string, overrides: Parameters<typeof machine>[1] = {}) =>
  machine("m0", { ...overrides, spec: { infrastructureRef: { ...REFERENCE, name } } });

describe("SimMachines", () => {
  it("are made for the instances that stay and have none, where the pool wants Machines", () => {
    const object = simMachinePool({ spec: { machines: true } });
    const fleet = {
      object,
      pool: machinePool(),
      wanted: 3,
      instances: [simInstance("i0"), simInstance("i1"), simInstance("i2", GOING)],
      simMachines: [simMachine("i0")],
      machines: [],
    };
    expect(missingSimMachines(fleet).map(({ object: made }) => made.metadata.name)).toEqual(["i1"]);
    expect(missingSimMachines({ ...fleet, object: simMachinePool() })).toEqual([]);
  });

  it("of other pools, and Machines of other infrastructure, are not part of a pool", () => {
    const foreign = { metadata: { ownerReferences: [] } };
    const other = machine("m9", { spec: { infrastructureRef: { name: "i0" } } });
    const parts = {
      instances: [simInstance("i0"), simInstance("i1", foreign)],
      simMachines: [simMachine("i0"), simMachine("i1", foreign)],
      machines: [machineOf("i0"), other],
    };
    const own = ownParts(simMachinePool(), parts);
    expect([own.instances, own.simMachines, own.machines].map((list) => list.length)).toEqual([1, 1, 1]);
  });
});

describe("what is deleted so that an instance goes", () => {
  const object = simMachinePool();
  const instances = [simInstance("i0")];
  const simMachines = [simMachine("i0")];
  const top = (parts: Parameters<typeof removalOf>[1]) =>
    removalOf(object, parts, [simInstance("i0")]).map(({ target }) => target.kind.kind);

  it("is the topmost object there is, and none while that is going", () => {
    const kept = machineOf("i0", { metadata: { finalizers: ["machine.cluster.x-k8s.io"] } });
    expect(top({ instances, simMachines, machines: [kept] })).toEqual(["Machine"]);
    expect(top({ instances, simMachines, machines: [machineOf("i0", GOING)] })).toEqual([]);
    expect(top({ instances, simMachines, machines: [] })).toEqual(["SimMachine"]);
    expect(top({ instances, simMachines: [simMachine("i0", GOING)], machines: [] })).toEqual([]);
    expect(top({ instances, simMachines: [], machines: [] })).toEqual(["SimInstance"]);
    expect(top({ instances: [], simMachines: [], machines: [] })).toEqual([]);
  });

  it("is the SimMachine while no finalizer keeps the Machine, which would be recreated", () => {
    expect(top({ instances, simMachines, machines: [machineOf("i0")] })).toEqual(["SimMachine"]);
    expect(top({ instances, simMachines: [], machines: [machineOf("i0")] })).toEqual(["Machine"]);
  });
});

describe("an orphaned Machine", () => {
  const object = simMachinePool();
  const name = `${object.metadata.name}-1`;
  const orphans = (parts: Partial<Parameters<typeof orphanedMachines>[1]>) =>
    orphanedMachines(object, { instances: [], simMachines: [], machines: [machineOf(name)], ...parts })
      .length;

  it("has neither SimMachine nor instance", () => {
    expect(orphans({})).toBe(1);
    expect(orphans({ simMachines: [simMachine(name)] })).toBe(0);
    expect(orphans({ instances: [simInstance(name)] })).toBe(0);
  });
});
