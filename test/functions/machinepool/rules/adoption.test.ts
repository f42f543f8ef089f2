import { describe, expect, it } from "vitest";
import {
  adoptionPatch,
  describeController,
  ownObject,
  poolAdoption,
} from "../../../../functions/machinepool/rules/adoption.ts";
import {
  found,
  infraMachinePool,
  machinePool,
  missing,
  OWNED_BY_P1,
  unresolved,
} from "../../../support/builders.ts";

const POOL = machinePool();
const owned = (...ownerReferences: readonly (typeof OWNED_BY_P1)[]) =>
  found(infraMachinePool({ metadata: { ownerReferences } }));
const BY_P2 = { ...OWNED_BY_P1, name: "p2", uid: "uid-p2" };
const WITNESS = { ...BY_P2, controller: false };

describe("poolAdoption", () => {
  it.each([
    ["ours", owned(WITNESS, OWNED_BY_P1)],
    ["none", owned(WITNESS)],
    ["none", owned({ ...OWNED_BY_P1, uid: "uid-before-move" })],
    ["none", found(infraMachinePool({ metadata: { ownerReferences: undefined } }))],
    ["foreign", owned(BY_P2)],
    ["foreign", owned({ ...OWNED_BY_P1, kind: "Cluster", uid: "uid-c1" })],
    ["missing", missing(infraMachinePool())],
    ["missing", unresolved(true)],
    ["missing", undefined],
  ])("is %s", (adoption, object) => {
    expect(poolAdoption(POOL, object)).toBe(adoption);
    expect(ownObject(POOL, object) !== undefined).toBe(adoption === "ours");
    if (adoption === "foreign" || adoption === "missing") expect(adoptionPatch(POOL, object)).toEqual([]);
  });

  it("describes who controls an object", () => {
    expect(describeController(owned(BY_P2).object)).toBe(
      "FooMachinePool p1-infra is controlled by MachinePool p2",
    );
    expect(describeController(owned(WITNESS).object)).toBe("FooMachinePool p1-infra is controlled by nobody");
  });
});
