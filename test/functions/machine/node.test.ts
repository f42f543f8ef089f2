import { describe, expect, it } from "vitest";
import { machineNode } from "../../../functions/machine/node.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { routeChange } from "../../../shared/runtime/queue/route.ts";
import {
  cluster,
  connection,
  infraMachine,
  machine,
  merge,
  node,
  type Overrides,
} from "../../support/builders.ts";
import { patched } from "../../support/patched.ts";
import { decide, given } from "../../support/world.ts";

const WORKLOAD = "default/c1";
const UNINITIALIZED = { key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" };
const OUTDATED = { key: "node.cluster.x-k8s.io/outdated-revision", effect: "PreferNoSchedule" };
const BY_SET = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", name: "s", uid: "uid-s" };
const REVISION = "machinedeployment.clusters.x-k8s.io/revision";

function guarded(overrides: Overrides<Machine> = {}): Machine {
  const defaults = machine("m1", {
    metadata: { finalizers: ["machine.cluster.x-k8s.io"], labels: { "node.cluster.x-k8s.io/tier": "1" } },
    spec: { providerID: "foo://1" },
  });
  return merge<Machine>(defaults, overrides);
}

const NODE = node("n1", { spec: { taints: [UNINITIALIZED] } });

function world(of: Machine = guarded(), on = NODE) {
  return given(cluster(), of, connection()).inWorkload(WORKLOAD, on);
}

/** The Node after what is decided, and the decision. */
async function marked(of: Machine = guarded(), ...others: readonly KubeObject[]) {
  const decision = await decide(
    machineNode,
    given(cluster(), of, connection(), ...others).inWorkload(WORKLOAD, NODE),
  );
  return { decision, node: patched(NODE, decision.patch?.[0]?.operations ?? []) };
}

describe("machine-node", () => {
  it("marks a Node and opens it for pods, in one patch that no heartbeat can refuse", async () => {
    const { decision, node: on } = await marked();
    expect(decision.patch).toHaveLength(1);
    expect(decision.patch?.[0]?.target).toMatchObject({
      cluster: WORKLOAD,
      uid: "uid-n1",
      resourceVersion: undefined,
    });
    expect(on.metadata.labels).toEqual({ "node.cluster.x-k8s.io/tier": "1" });
    expect(on.metadata.annotations?.["cluster.x-k8s.io/machine"]).toBe("m1");
    expect(on.spec?.taints).toEqual([]);
    expect(decision.result).toEqual(done);
    expect(await decide(machineNode, world(guarded(), on))).toEqual({ patch: [], events: [], result: done });
  });

  it("continues while the Machine is being deleted, as long as there is a Node", async () => {
    const going = guarded({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } });
    expect((await marked(going)).decision.patch).toHaveLength(1);
    expect((await decide(machineNode, given(cluster(), going, connection()))).result).toEqual(done);
  });

  it.each([
    ["lives", {}, ["machine-node"]],
    ["is being deleted", { deleting: true } as const, []],
  ])(
    "is woken by the end of Node and infrastructure machine while the Machine %s: %j",
    async (_, state, names) => {
      const found = { namespace: "default", name: "m1", tenant: "default/c1", ...state };
      const lookup = { find: async () => [found], get: async () => undefined };
      for (const [cluster, before] of [
        [WORKLOAD, NODE],
        [MANAGEMENT, infraMachine("m1")],
      ] as const) {
        const kind = { group: groupOf(before.apiVersion), kind: before.kind };
        const woken = await routeChange([machineNode], { kind, cluster, before }, lookup);
        expect(woken.map(({ functionName }) => functionName)).toEqual(names);
      }
    },
  );

  it.each([
    ["the beginning of a deletion", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }, []],
    [
      "a label of one that is being deleted",
      {
        metadata: {
          deletionTimestamp: "2026-01-01T11:00:00Z",
          labels: { "node.cluster.x-k8s.io/tier": "2" },
        },
      },
      ["machine-node"],
    ],
  ])("of its Machine, %s wakes %j", async (_, overrides, names) => {
    const kind = { group: groupOf(guarded().apiVersion), kind: "Machine" };
    const after = guarded(overrides);
    const found = { namespace: "default", name: "m1", tenant: "default/c1" };
    const lookup = { find: async () => [found], get: async () => after as never };
    const change = { kind, cluster: MANAGEMENT, before: guarded(), after };
    const woken = await routeChange([machineNode], change, lookup);
    expect(woken.map(({ functionName }) => functionName)).toEqual(names);
  });

  it.each([
    [
      "a provider ID",
      given(cluster(), guarded({ spec: { providerID: undefined } })),
      "Machine.spec.providerID",
    ],
    ["the Cluster", given(guarded()), "Cluster.metadata.uid"],
    ["the end of a pause", given(cluster({ spec: { paused: true } }), guarded()), "Cluster.spec.paused"],
    [
      "the finalizer",
      given(cluster(), guarded({ metadata: { finalizers: [] } })),
      "Machine.metadata.finalizers",
    ],
    ["the connection", given(cluster(), guarded()), "Connection.status.nodesComplete"],
    [
      "all Nodes",
      given(cluster(), guarded(), connection({ status: { nodesComplete: false } })),
      "Connection.status.nodesComplete",
    ],
    ["its Node", given(cluster(), guarded(), connection()), "Node.spec.providerID"],
  ])("waits for %s", async (_, of, awaited) => {
    expect(await decide(machineNode, of)).toEqual({ result: waitFor(awaited) });
  });

  it("writes nothing to two Nodes of one provider ID, nor for two Machines", async () => {
    const again = { result: requeueAfter(60_000, "a provider ID that two Nodes or two Machines have") };
    const twin = node("n2", { spec: { providerID: "foo://1" } });
    expect(await decide(machineNode, world().inWorkload(WORKLOAD, twin))).toEqual(again);
    const rival = guarded({ metadata: { name: "m2", uid: "uid-m2" } });
    const both = given(cluster(), guarded(), rival, connection()).inWorkload(WORKLOAD, NODE);
    expect(await decide(machineNode, both, "m1")).toEqual(again);
  });

  it("writes nothing to a Node that has another name now, and that another Machine names", async () => {
    const named = (name: string) => ({ status: { nodeRef: { name } } });
    const other = guarded({
      metadata: { name: "m2", uid: "uid-m2" },
      spec: { providerID: "foo://2" },
      ...named("n1"),
    });
    const of = (...machines: readonly ReturnType<typeof guarded>[]) =>
      given(cluster(), ...machines, connection()).inWorkload(WORKLOAD, NODE);
    expect(await decide(machineNode, of(guarded(named("n0")), other), "m1")).toEqual({
      result: requeueAfter(60_000, "a Node that another Machine names"),
    });
    expect((await decide(machineNode, of(guarded(named("n0"))), "m1")).patch).toHaveLength(1);
  });

  it("says that the infrastructure is interruptible when its own says so", async () => {
    const spot = (uid: string) =>
      infraMachine("m1", {
        metadata: {
          ownerReferences: [
            { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid, controller: true },
          ],
        },
        status: { interruptible: true },
      });
    const { decision, node: on } = await marked(guarded(), spot("uid-m1"));
    expect(on.metadata.labels).toHaveProperty(["cluster.x-k8s.io/interruptible"], "");
    expect(decision.events).toEqual([
      { type: "Normal", reason: "SuccessfulSetInterruptibleNodeLabel", message: "n1" },
    ]);
    const foreign = await marked(guarded(), spot("uid-other"));
    expect(foreign.node.metadata.labels).not.toHaveProperty(["cluster.x-k8s.io/interruptible"]);
  });

  it("prefers Nodes of the newest MachineSet of a MachineDeployment", async () => {
    const of = guarded({ metadata: { ownerReferences: [{ ...BY_SET, controller: true }] } });
    const named = (
      kind: string,
      name: string,
      revision: string,
      owners: readonly object[] = [],
    ): KubeObject => ({
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind,
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        annotations: { [REVISION]: revision },
        ownerReferences: owners as NonNullable<KubeObject["metadata"]["ownerReferences"]>,
      },
    });
    const byDeployment = [
      { ...BY_SET, kind: "MachineDeployment", name: "d", uid: "uid-d", controller: true },
    ];
    const taints = async (ofSet: string, newest: string) =>
      (
        await marked(
          of,
          named("MachineSet", "s", ofSet, byDeployment),
          named("MachineDeployment", "d", newest),
        )
      ).node.spec?.taints;
    expect(await taints("9", "10")).toEqual([OUTDATED]);
    expect(await taints("10", "10")).toEqual([]);
    const alone = await marked(of, named("MachineSet", "s", "9"));
    expect(alone.node.spec?.taints).toEqual([]);
  });

  it("names a taint that admission would have refused", async () => {
    const taint = {
      key: "node.kubernetes.io/not-ready",
      effect: "NoExecute",
      propagation: "Always",
    } as const;
    const { decision } = await marked(guarded({ spec: { taints: [taint] } }));
    expect(decision.events).toEqual([
      {
        type: "Warning",
        reason: "InvalidSpec",
        message: "spec.taints: node.kubernetes.io/not-ready:NoExecute is reserved and left out; remove it",
      },
    ]);
  });
});
