import { describe, expect, it } from "vitest";
import { isForeign, machineClaim, ownObject } from "../../../../functions/machine/rules/adoption.ts";
import type { OwnerReference } from "../../../../shared/api/kinds.ts";
import { adoptionPatch, controllerAgainst } from "../../../../shared/rules/providers/adoption.ts";
import { cluster, found } from "../../../support/builders.ts";
import { OWNED_BY_M1, ownInfraMachine, soloMachine } from "../../../support/machines.ts";

const CORE = "cluster.x-k8s.io/v1beta1";
const SET: OwnerReference = { apiVersion: CORE, kind: "MachineSet", name: "s1", uid: "uid-s1" };
const PLANE: OwnerReference = {
  apiVersion: "controlplane.cluster.x-k8s.io/v1beta2",
  kind: "FooControlPlane",
  name: "c1-control-plane",
  uid: "uid-cp",
};
const VM: OwnerReference = { apiVersion: "vm.io/v1", kind: "Host", name: "h1", uid: "uid-h1" };
const CONTROL_PLANE = soloMachine({
  metadata: { labels: { "cluster.x-k8s.io/control-plane": "", "cluster.x-k8s.io/cluster-name": "c1" } },
});

function owned(...ownerReferences: readonly OwnerReference[]) {
  return ownInfraMachine({ metadata: { ownerReferences } });
}

describe("a Machine and its provider objects", () => {
  it.each([
    ["the set that made it", SET],
    ["the set that made it, as controller", { ...SET, controller: true }],
    ["the Machine under an earlier uid", { ...OWNED_BY_M1, uid: "uid-old" }],
    ["nothing that controls it", VM],
  ])("take over an object of %s, and use no value of it before", (_, owner) => {
    expect(isForeign(soloMachine(), cluster(), owned(owner))).toBe(false);
    expect(ownObject(soloMachine(), found(owned(owner)))).toBeUndefined();
  });

  it("leave an object of another controller alone", () => {
    const object = owned({ ...VM, controller: true });
    expect(isForeign(soloMachine(), cluster(), object)).toBe(true);
    expect(adoptionPatch(machineClaim(soloMachine(), cluster()), found(object))).toEqual([]);
  });

  it("use the values of an object that the Machine controls, beside other owners", () => {
    expect(ownObject(soloMachine(), found(owned(VM, OWNED_BY_M1)))).toBeDefined();
  });

  it("replace what was there before them in one patch, from the last entry to the first", () => {
    expect(adoptionPatch(machineClaim(CONTROL_PLANE, cluster()), found(owned(PLANE, VM, SET)))).toEqual([
      { op: "add", path: "/metadata/ownerReferences/-", value: OWNED_BY_M1 },
      { op: "test", path: "/metadata/ownerReferences/2", value: SET },
      { op: "remove", path: "/metadata/ownerReferences/2" },
      { op: "test", path: "/metadata/ownerReferences/0", value: PLANE },
      { op: "remove", path: "/metadata/ownerReferences/0" },
    ]);
  });

  it("take a control plane object for temporary only on a control plane Machine of its Cluster", () => {
    const object = owned({ ...PLANE, controller: true });
    const against = (machine = CONTROL_PLANE, of = cluster()) =>
      controllerAgainst(machineClaim(machine, of), object)?.name;
    expect(against()).toBeUndefined();
    expect(against(soloMachine())).toBe("c1-control-plane");
    expect(against(CONTROL_PLANE, cluster({ spec: { controlPlaneRef: undefined } }))).toBe(
      "c1-control-plane",
    );
  });
});
