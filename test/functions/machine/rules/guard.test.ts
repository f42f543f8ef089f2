import { describe, expect, it } from "vitest";
import { machineGuardPatch } from "../../../../functions/machine/rules/guard.ts";
import type { OwnerReference } from "../../../../shared/api/kinds.ts";
import { cluster } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";

const C1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  name: "c1",
  uid: "uid-c1",
};
const HOST: OwnerReference = { apiVersion: "vm.io/v1", kind: "Host", name: "h1", uid: "uid-h1" };
const LABEL = { "cluster.x-k8s.io/cluster-name": "c1" };

function ownerOperations(ownerReferences: readonly OwnerReference[] | undefined, labels: object = {}) {
  const machine = soloMachine({ metadata: { ownerReferences, labels: { ...LABEL, ...labels } } });
  return machineGuardPatch(machine, cluster()).map(({ op, path }) => `${op} ${path}`);
}

describe("the Cluster as owner of a Machine", () => {
  it.each(["set-name", "pool-name", "control-plane-name"])(
    "is left to the owner that the label %s announces, also after a restore without references",
    (label) => {
      expect(ownerOperations(undefined, { [`cluster.x-k8s.io/${label}`]: "x" })).toEqual([]);
    },
  );

  it.each([
    ["a controller", [{ ...HOST, controller: true }]],
    ["another Cluster", [{ ...C1, name: "c2", uid: "uid-c2" }]],
    ["this Cluster already", [C1]],
  ])("is not added where the Machine has %s", (_, owners) => {
    expect(ownerOperations(owners)).toEqual([]);
  });

  it.each([
    ["an earlier uid", { ...C1, uid: "uid-before" }],
    ["an older version", { ...C1, apiVersion: "cluster.x-k8s.io/v1beta1" }],
  ])("is replaced at its place when it has %s, or the garbage collector takes the Machine", (_, stale) => {
    const replaced = ["test /metadata/ownerReferences/1", "replace /metadata/ownerReferences/1"];
    expect(ownerOperations([HOST, stale])).toEqual(replaced);
    expect(ownerOperations([{ ...HOST, controller: true }, stale])).toEqual(replaced);
  });
});

describe("the default of a Machine", () => {
  it("never replaces a value, 0 included", () => {
    const of = (deletion: object | undefined) =>
      machineGuardPatch(soloMachine({ spec: { deletion } }), cluster()).map(({ path }) => path);
    expect(of({ nodeDeletionTimeoutSeconds: 0 })).toEqual([]);
    const other = soloMachine({
      spec: { deletion: { nodeDeletionTimeoutSeconds: undefined, nodeDrainTimeoutSeconds: 5 } },
    });
    expect(machineGuardPatch(other, cluster()).map(({ path }) => path)).toEqual([
      "/spec/deletion/nodeDeletionTimeoutSeconds",
    ]);
  });
});
