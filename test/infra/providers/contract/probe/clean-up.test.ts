import { expect, it } from "vitest";
import { createOutlived } from "../../../../../infra/providers/contract/probe/clean-up.ts";
import { at, core, foo, owner } from "../../../../support/contract/life.ts";

const POOL = core("MachinePool", "p1");
const INFRA = foo("FooPool", "p1", { metadata: { ownerReferences: [owner(POOL)] } });

function outlivedAfter(...looks: readonly Parameters<ReturnType<typeof createOutlived>["note"]>[0][]) {
  const { outlived, note } = createOutlived();
  for (const look of looks) note(look);
  return [...outlived];
}

it("names an object that is still there after a look without its owner", () => {
  expect(outlivedAfter(at(POOL, INFRA), at(INFRA), at(INFRA))).toEqual([["FooPool p1", "MachinePool p1"]]);
});

it("takes one look for no proof, nor another object of the same name", () => {
  expect(outlivedAfter(at(POOL, INFRA), at(INFRA), at())).toEqual([]);
  const next = foo("FooPool", "p1", { metadata: { uid: "another" } });
  expect(outlivedAfter(at(POOL, INFRA), at(INFRA), at(next))).toEqual([]);
});

it("does not count owners of the provider's own", () => {
  const below = foo("FooThing", "t1", { metadata: { ownerReferences: [owner(INFRA)] } });
  expect(outlivedAfter(at(below), at(below), at(below))).toEqual([]);
});
