import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { machinepoolMachines } from "../../../../functions/machinepool/machines.ts";
import { factsOf } from "../../../../infra/operate/explain/object-facts.ts";
import { clusterNamed, type ObjectNode, objectTree } from "../../../../infra/operate/explain/object-tree.ts";
import { textOfLeftOut } from "../../../../infra/operate/explain/siblings.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import {
  cluster,
  FOO_CRDS,
  infraMachinePool,
  machine,
  machineCondition,
  machinePool,
} from "../../../support/builders.ts";

const nameOf = ({ kind, key, object, children, more }: ObjectNode): unknown => ({
  [`${kind.kind} ${key.name}${object === undefined ? " (missing)" : ""}`]: [
    ...children.map(nameOf),
    ...more.map(textOfLeftOut),
  ],
});

async function treeOf(
  root: KubeObject,
  objects: readonly KubeObject[],
  functions = [machinepoolGuard],
): Promise<unknown> {
  await using store = createMemoryStore();
  for (const [index, object] of [...FOO_CRDS, root, ...objects].entries()) {
    const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
    await store.put(type, [
      {
        ...object,
        metadata: { uid: `u${index}`, ...object.metadata, resourceVersion: "1" },
      },
    ]);
  }
  return nameOf(await objectTree(store, functions, { kind: Cluster, object: root }));
}

describe("the tree of a Cluster", () => {
  it("holds what it references, there or not, and its pools with what they reference", async () => {
    const root = cluster();
    const infra = infraMachinePool();
    expect(await treeOf(root, [machinePool(), infra])).toEqual({
      "Cluster c1": [
        expect.objectContaining({}),
        expect.objectContaining({}),
        {
          "MachinePool p1": [expect.objectContaining({}), { [`${infra.kind} ${infra.metadata.name}`]: [] }],
        },
      ],
    });
  });

  it("leaves out what a deleted object referenced and what is gone before it", async () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const infra = infraMachinePool();
    const pool = machinePool({ metadata: { deletionTimestamp } });
    expect(await treeOf(cluster({ metadata: { deletionTimestamp } }), [pool, infra])).toEqual({
      "Cluster c1": [{ "MachinePool p1": [{ [`${infra.kind} ${infra.metadata.name}`]: [] }] }],
    });
  });

  it("holds the Machines of a pool, although no function reconciles them", async () => {
    const functions = [machinepoolGuard, machinepoolMachines];
    const tree = JSON.stringify(await treeOf(cluster(), [machinePool(), machine("m1")], functions));
    expect(tree).toContain('"Machine m1"');
    expect(tree.indexOf('"Machine m1"')).toBeGreaterThan(tree.indexOf('"MachinePool p1"'));
  });

  it("says how many children of a kind are left out", async () => {
    const pools = Array.from({ length: 23 }, (_, index) =>
      machinePool({ metadata: { name: `p${index}`, uid: `pool-${index}` } }),
    );
    const tree = JSON.stringify(await treeOf(cluster(), pools));
    expect(tree.match(/"MachinePool /g)).toHaveLength(20);
    expect(tree).toContain("3 more MachinePools");
  });

  it("shows the worst Machines of a pool and counts those that are ready", async () => {
    const functions = [machinepoolGuard, machinepoolMachines];
    const machines = Array.from({ length: 1_000 }, (_, index) =>
      machine(`m${index}`, {
        status: { conditions: [machineCondition("Ready", index % 50 === 7 ? "False" : "True", "Test")] },
      }),
    );
    const tree = JSON.stringify(await treeOf(cluster(), [machinePool(), ...machines], functions));
    expect(tree.match(/"Machine m\d*7"/g)).toHaveLength(20);
    expect(tree.match(/"Machine m/g)).toHaveLength(20);
    expect(tree).toContain('"980 Machines ready"');
  });

  it("knows the Cluster of an object", () => {
    expect(clusterNamed(Cluster, cluster())).toBe("default/c1");
    expect(clusterNamed(MachinePool, machinePool())).toBe("default/c1");
  });
});

describe("the facts of an object", () => {
  it("are its phase, its Nodes and the conditions that are not as one wants them", () => {
    const object = machinePool({
      status: {
        phase: "ScalingUp",
        nodeRefs: [{ name: "n1" }],
        conditions: [
          { type: "Available", status: "False", reason: "NotAvailable", message: "1 of 3" },
          { type: "ScalingUp", status: "True", reason: "ScalingUp", message: "" },
          { type: "Paused", status: "False", reason: "NotPaused", message: "" },
          { type: "Ready", status: "True", reason: "Ready", message: "" },
        ] as never,
      },
    });
    const node = {
      kind: MachinePool,
      key: { namespace: "default", name: "p1" },
      object,
      children: [],
      more: [],
    };
    expect(factsOf(node)).toMatchObject({
      object: "MachinePool default/p1",
      phase: "ScalingUp",
      nodes: "1 of 3",
      conditions: [{ type: "Available" }, { type: "ScalingUp" }],
    });
  });
});
