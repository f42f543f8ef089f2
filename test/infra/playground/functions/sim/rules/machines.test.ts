import { describe, expect, it } from "vitest";
import {
  missingSimMachines,
  ownParts,
} from "../../../../../../infra/playground/functions/sim/rules/machines.ts";
import { machine, machinePool } from "../../../../../support/builders.ts";
import { simInstance, simMachine, simMachinePool } from "../../../../../support/sim.ts";

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
