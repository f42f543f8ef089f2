import { describe, expect, it } from "vitest";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import {
  controllerOf,
  controllerReference,
  isOwnedBy,
  ownerReference,
  ownerReferencePatch,
} from "../../../../shared/rules/metadata/owner-references.ts";
import { infraMachinePool, machinePool, OWNED_BY_P1 } from "../../../support/builders.ts";

const TEAM = { apiVersion: "example.com/v1", kind: "Team", name: "t", uid: "uid-t" };
const owned = (...ownerReferences: readonly (typeof TEAM)[]) =>
  infraMachinePool({ metadata: { ownerReferences } });

describe("the reference of a dependent", () => {
  it("says whether its owner controls it", () => {
    const { controller, blockOwnerDeletion, ...plain } = OWNED_BY_P1;
    expect(ownerReference(MachinePool, machinePool())).toStrictEqual(plain);
    expect(controllerReference(MachinePool, machinePool())).toStrictEqual(OWNED_BY_P1);
  });
});

describe("ownerReferencePatch", () => {
  it("creates the list where there is none", () => {
    const object = infraMachinePool({ metadata: { ownerReferences: undefined } });
    expect(ownerReferencePatch(object, OWNED_BY_P1)).toEqual([
      { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_P1] },
    ]);
  });

  it("appends to the references of others", () => {
    expect(ownerReferencePatch(owned(TEAM), OWNED_BY_P1)).toEqual([
      { op: "add", path: "/metadata/ownerReferences/-", value: OWNED_BY_P1 },
    ]);
  });

  it("is empty when the reference is right, an absent flag being false", () => {
    expect(ownerReferencePatch(owned(TEAM, OWNED_BY_P1), OWNED_BY_P1)).toEqual([]);
    expect(ownerReferencePatch(owned({ ...TEAM, ...{ controller: false } }), TEAM)).toEqual([]);
  });

  it.each([
    ["version", { apiVersion: "cluster.x-k8s.io/v1beta1" }],
    ["uid", { uid: "uid-before-move" }],
    ["controller flag", { controller: false }],
    ["blockOwnerDeletion flag", { blockOwnerDeletion: false }],
  ])("replaces an entry with another %s at its index", (_, difference) => {
    const stale = { ...OWNED_BY_P1, ...difference };
    expect(ownerReferencePatch(owned(TEAM, stale), OWNED_BY_P1)).toEqual([
      { op: "test", path: "/metadata/ownerReferences/1", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/1", value: OWNED_BY_P1 },
    ]);
  });

  it("removes dead entries of the same owner, from the back", () => {
    const [dead, deader] = ["uid-1", "uid-2"].map((uid) => ({ ...OWNED_BY_P1, uid }));
    const object = infraMachinePool({
      metadata: { ownerReferences: [OWNED_BY_P1, dead ?? TEAM, TEAM, deader ?? TEAM] },
    });
    expect(ownerReferencePatch(object, OWNED_BY_P1)).toEqual([
      { op: "test", path: "/metadata/ownerReferences/3", value: deader },
      { op: "remove", path: "/metadata/ownerReferences/3" },
      { op: "test", path: "/metadata/ownerReferences/1", value: dead },
      { op: "remove", path: "/metadata/ownerReferences/1" },
    ]);
  });
});

describe("owners", () => {
  it("identify the controller and every owner by uid", () => {
    expect(controllerOf(owned(TEAM, OWNED_BY_P1))).toEqual(OWNED_BY_P1);
    expect(controllerOf(owned(TEAM))).toBeUndefined();
    expect(isOwnedBy(owned(TEAM), "uid-t")).toBe(true);
    expect(isOwnedBy(owned(TEAM), "uid-p1")).toBe(false);
    expect(isOwnedBy(owned(TEAM), undefined)).toBe(false);
  });
});
