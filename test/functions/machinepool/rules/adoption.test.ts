import { describe, expect, it } from "vitest";
import { isControlled, isForeign, ownObject } from "../../../../functions/machinepool/rules/adoption.ts";
import { found, infraMachinePool, machinePool, OWNED_BY_P1 } from "../../../support/builders.ts";

const POOL = machinePool();
const BY_P2 = { ...OWNED_BY_P1, name: "p2", uid: "uid-p2" };

describe("a pool", () => {
  it.each([
    ["controls", OWNED_BY_P1, { controlled: true, foreign: false }],
    ["does not control yet", { ...OWNED_BY_P1, controller: false }, { controlled: false, foreign: false }],
    ["leaves to another pool", BY_P2, { controlled: false, foreign: true }],
  ])("believes of objects only those that it controls: one that it %s", (_, owner, expected) => {
    const object = infraMachinePool({ metadata: { ownerReferences: [owner] } });
    expect({ controlled: isControlled(POOL, object), foreign: isForeign(POOL, object) }).toEqual(expected);
    expect(ownObject(POOL, found(object)) !== undefined).toBe(expected.controlled);
  });
});
