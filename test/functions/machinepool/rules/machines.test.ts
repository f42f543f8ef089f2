import { describe, expect, it } from "vitest";
import { infraMachineKindOf, machineFor } from "../../../../functions/machinepool/rules/machines.ts";
import {
  found,
  infraMachine,
  infraMachinePool,
  machine,
  machinePool,
  missing,
  OWNED_BY_P1,
} from "../../../support/builders.ts";

describe("the Machines of a pool", () => {
  it("are switched on by its own infrastructure object only", () => {
    const kindOf = (value: unknown, ownerReferences = [OWNED_BY_P1]) =>
      infraMachineKindOf(
        machinePool(),
        found(
          infraMachinePool({ metadata: { ownerReferences }, status: { infrastructureMachineKind: value } }),
        ),
      );
    expect(kindOf("FooMachine")).toBe("FooMachine");
    for (const none of [undefined, "", 7, null]) expect(kindOf(none)).toBeUndefined();
    expect(kindOf("FooMachine", [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }])).toBeUndefined();
    expect(infraMachineKindOf(machinePool(), missing(infraMachinePool()))).toBeUndefined();
  });

  it("belong to the infrastructure machine that they reference", () => {
    const older = machine("pool-x7k2p", { spec: { infrastructureRef: { name: "m1" } } });
    expect(machineFor(infraMachine("m1"), [machine("m2"), older])).toBe(older);
    expect(machineFor(infraMachine("m3"), [machine("m2"), older])).toBeUndefined();
  });
});
