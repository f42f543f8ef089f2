import { describe, expect, it } from "vitest";
import {
  countedWorkers,
  DESCENDANTS,
  type Descendants,
} from "../../../../functions/cluster/rules/descendants.ts";
import type { Workers } from "../../../../shared/api/cluster/workers.ts";
import { cluster, machinePool } from "../../../support/builders.ts";
import { OWNED_BY_C1 } from "../../../support/foo-cluster.ts";

function descendants(kind: string, ...objects: readonly Workers[]): Descendants {
  const of = DESCENDANTS.find((known) => known.kind.kind === kind);
  if (of === undefined) throw new Error(`no descendants of kind ${kind}`);
  return { of, objects };
}

function worker(kind: string, name: string, owner?: typeof OWNED_BY_C1): Workers {
  const ownerReferences = owner === undefined ? [] : [owner];
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind,
    metadata: { name, namespace: "default", ownerReferences },
  };
}

function namesOf(...given: readonly Descendants[]): readonly string[] {
  return countedWorkers(cluster(), given).map(({ metadata }) => metadata.name);
}

describe("descendants of a Cluster", () => {
  it("are deleted pools first, then MachineDeployments, MachineSets and Machines", () => {
    const order = DESCENDANTS.toSorted((a, b) => a.deleteOrder - b.deleteOrder).map(({ kind }) => kind.kind);
    expect(order).toEqual(["MachinePool", "MachineDeployment", "MachineSet", "Machine"]);
  });

  it("are named in messages in another order: MachineDeployments, MachineSets, MachinePools, Machines", () => {
    expect(DESCENDANTS.map(({ label }) => label)).toEqual([
      "MachineDeployments",
      "MachineSets",
      "MachinePools",
      "Worker Machines",
    ]);
  });

  it("count a MachineSet only when the Cluster owns it itself: others count in their MachineDeployment", () => {
    const ofDeployment = { ...OWNED_BY_C1, kind: "MachineDeployment", name: "md" };
    expect(
      namesOf(
        descendants(
          "MachineSet",
          worker("MachineSet", "direct", OWNED_BY_C1),
          worker("MachineSet", "md-1", ofDeployment),
        ),
      ),
    ).toEqual(["direct"]);
  });

  it("count every MachinePool, and leave Machines to another rule", () => {
    const young = machinePool({ metadata: { ownerReferences: undefined } });
    expect(
      namesOf(
        descendants("MachinePool", young),
        descendants("Machine", worker("Machine", "m1", OWNED_BY_C1)),
      ),
    ).toEqual(["p1"]);
  });
});
