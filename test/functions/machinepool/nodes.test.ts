import { describe, expect, it } from "vitest";
import { machinepoolNodes } from "../../../functions/machinepool/nodes.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { cluster, connection, machine, machinePool, node, OWNED_BY_P1 } from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const MARKED = {
  "cluster.x-k8s.io/cluster-name": "c1",
  "cluster.x-k8s.io/cluster-namespace": "default",
  "cluster.x-k8s.io/owner-kind": "MachinePool",
  "cluster.x-k8s.io/owner-name": "p1",
};
const TAINT = { key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" };
const BASE = given(cluster(), machinePool(), connection());

async function written(world: ReturnType<typeof given>) {
  const { patch = [] } = await decide(machinepoolNodes, world, "p1");
  return patch.filter(({ operations }) => operations.length > 0);
}

describe("machinepool-nodes", () => {
  it("annotates a Node and removes its taint in one patch guarded by uid, not by version", async () => {
    const tainted = node("n1", {
      metadata: { annotations: { foreign: "stays" } },
      spec: {
        taints: [
          { key: "example.com/gpu", effect: "NoSchedule" },
          { ...TAINT, value: "any" },
        ],
      },
    });
    const [patch, ...others] = await written(BASE.inWorkload("default/c1", tainted));
    expect(others).toEqual([]);
    expect(patch?.target).toMatchObject({ cluster: "default/c1", name: "n1", uid: "uid-n1" });
    expect(patch?.target.resourceVersion).toBeUndefined();
    expect(patch?.operations).toEqual([
      ...Object.entries(MARKED).map(([key, value]) => ({
        op: "add",
        path: `/metadata/annotations/${key.replace("/", "~1")}`,
        value,
      })),
      { op: "test", path: "/spec/taints/1/key", value: TAINT.key },
      { op: "test", path: "/spec/taints/1/effect", value: TAINT.effect },
      { op: "remove", path: "/spec/taints/1" },
    ]);
  });

  it("S-32: marks the Node of its own Cluster where another one has the same Nodes and pools", async () => {
    const twins = [
      cluster({ metadata: { name: "c2" } }),
      machinePool({ metadata: { name: "p2" }, spec: { clusterName: "c2" } }),
      connection({ metadata: { name: "c2" } }),
    ];
    const world = given(cluster(), machinePool(), connection(), ...twins)
      .inWorkload("default/c1", node("n1"))
      .inWorkload("default/c2", node("n1", { metadata: { uid: "uid-twin" } }));
    const targets = (await written(world)).map(({ target }) => [target.cluster, target.uid]);
    expect(targets).toEqual([["default/c1", "uid-n1"]]);
  });

  it("adds a whole annotation map only where there is none yet", async () => {
    const [patch] = await written(BASE.inWorkload("default/c1", node("n1")));
    expect(patch?.operations).toEqual([
      { op: "test", path: "/metadata/annotations", value: null },
      { op: "add", path: "/metadata/annotations", value: MARKED },
    ]);
  });

  it("marks 500 Nodes of a large pool at a time, and says that there are more", async () => {
    const nodes = Array.from({ length: 501 }, (_, at) =>
      node(`m${at}`, { spec: { providerID: `foo://m${at}` } }),
    );
    const pool = machinePool({ spec: { providerIDList: nodes.map(({ spec }) => spec?.providerID ?? "") } });
    const world = given(cluster(), pool, connection()).inWorkload("default/c1", ...nodes);
    const { patch, result } = await decide(machinepoolNodes, world, "p1");
    expect(patch).toHaveLength(500);
    expect(result).toEqual(requeueAfter(SECOND, "more Nodes to mark"));
  });

  it("overwrites wrong values and leaves the taint of another effect", async () => {
    const wrong = node("n1", {
      metadata: { annotations: { ...MARKED, "cluster.x-k8s.io/owner-name": "other" } },
      spec: { taints: [{ ...TAINT, effect: "NoExecute" }] },
    });
    const [patch] = await written(BASE.inWorkload("default/c1", wrong));
    expect(patch?.operations).toEqual([
      { op: "add", path: "/metadata/annotations/cluster.x-k8s.io~1owner-name", value: "p1" },
    ]);
  });

  it("has nothing to write for marked Nodes and ignores Nodes that the pool does not list", async () => {
    const world = BASE.inWorkload(
      "default/c1",
      node("n1", { metadata: { annotations: MARKED } }),
      node("n9"),
    );
    expect(await written(world)).toEqual([]);
  });

  it("writes nothing without a complete view of the workload cluster", async () => {
    const blind = given(
      cluster(),
      machinePool(),
      connection({ status: { nodesComplete: false } }),
    ).inWorkload("default/c1", node("n1"));
    expect(await decide(machinepoolNodes, blind)).toEqual({
      result: waitFor("Connection.status.nodesComplete"),
    });
  });

  it("writes nothing while paused, deleting or not guarded", async () => {
    const paused = machinePool({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    const deleted = machinePool({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    const unguarded = machinePool({ metadata: { finalizers: undefined } });
    for (const pool of [paused, deleted, unguarded]) {
      const world = given(cluster(), pool, connection()).inWorkload("default/c1", node("n1"));
      expect(await written(world)).toEqual([]);
    }
  });

  it("leaves a Node that an older pool lists, too, to that pool and says so", async () => {
    const older = machinePool({
      metadata: { name: "p0", uid: "uid-p0", creationTimestamp: "2025-01-01T00:00:00Z" },
      spec: { providerIDList: ["foo://1"] },
    });
    const world = given(cluster(), machinePool(), older, connection()).inWorkload(
      "default/c1",
      node("n1"),
      node("n2"),
    );
    const { events, result } = await decide(machinepoolNodes, world, "p1");
    expect((await written(world)).map(({ target }) => target.name)).toEqual(["n2"]);
    expect(events?.map(({ reason }) => reason)).toEqual(["SharedNode"]);
    expect(result).toEqual(requeueAfter(MINUTE, "a Node listed by two pools"));
    const own = await decide(machinepoolNodes, world, "p0");
    expect(own.patch?.map(({ target }) => target.name)).toEqual(["n1"]);
    expect(own.result).toEqual(done);
  });

  it.each([
    ["names it", { status: { nodeRef: { name: "n1" } } }],
    ["has its provider ID", { spec: { providerID: "foo://1" } }],
  ])("leaves annotations and taint of a Node to a Machine of the pool that %s", async (_, claim) => {
    const claimed = given(cluster(), machinePool(), connection(), machine("m1", claim));
    const fresh = node("n1", { spec: { taints: [TAINT] } });
    expect(await written(claimed.inWorkload("default/c1", fresh))).toEqual([]);
  });

  it("marks a Node itself that only another's Machine claims", async () => {
    const foreign = machine("m1", {
      metadata: { ownerReferences: [{ ...OWNED_BY_P1, kind: "MachineSet", name: "s", uid: "uid-s" }] },
      status: { nodeRef: { name: "n1" } },
    });
    const to = given(cluster(), machinePool(), connection(), foreign).inWorkload("default/c1", node("n1"));
    expect(await written(to)).toHaveLength(1);
  });
});
