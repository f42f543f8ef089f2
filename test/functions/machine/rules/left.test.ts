import { describe, expect, it } from "vitest";
import { leftOf } from "../../../../functions/machine/rules/left.ts";
import type { OwnerReference } from "../../../../shared/api/kinds.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { found, missing, unresolved } from "../../../support/builders.ts";
import { ownInfraMachine, soloMachine, startedCluster } from "../../../support/machines.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };

function owned(by: Partial<OwnerReference>): Referenced {
  const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m2", uid: "uid-m2", ...by };
  return found(ownInfraMachine({ metadata: { ownerReferences: [owner] } }));
}

describe("what is left of a provider object of a deleted Machine", () => {
  it.each<readonly [string, Referenced | undefined, string]>([
    ["an object that is not referenced", undefined, "gone"],
    ["an object that does not exist", missing(ownInfraMachine()), "gone"],
    ["an object whose definition is gone", unresolved(false), "gone"],
    ["an object whose definition claims no contract", unresolved(true), "unreadable"],
    ["its own object", found(ownInfraMachine()), "present"],
    ["its own object, once deleted", found(ownInfraMachine(GOING)), "deleting"],
    ["an object of another controller", owned({ controller: true }), "gone"],
    ["an object that another one owns without controlling it", owned({}), "present"],
    [
      "an object that its MachineSet holds for it",
      owned({ kind: "MachineSet", name: "s1", uid: "uid-s1", controller: true }),
      "present",
    ],
    [
      "an object without owner",
      found(ownInfraMachine({ metadata: { ownerReferences: undefined } })),
      "present",
    ],
  ])("%s", (_, object, left) => {
    expect(leftOf(soloMachine(GOING), startedCluster(), object)).toBe(left);
  });
});
