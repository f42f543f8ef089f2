import { describe, expect, it } from "vitest";
import {
  orphanedMachines,
  removalOf,
} from "../../../../../../infra/playground/functions/sim/rules/removal.ts";
import { machine } from "../../../../../support/builders.ts";
import { simInstance, simMachine, simMachinePool } from "../../../../../support/sim.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const REFERENCE = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine" };
const machineOf = (name: string, overrides: Parameters<typeof machine>[1] = {}) =>
  machine("m0", { ...overrides, spec: { infrastructureRef: { ...REFERENCE, name } } });

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
