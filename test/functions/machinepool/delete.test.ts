import { describe, expect, it } from "vitest";
import { machinepoolDelete } from "../../../functions/machinepool/delete.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  crd,
  infraMachinePool,
  machinePool,
  node,
  type Overrides,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const REFS = ["n1", "n2"].map((name) => ({ apiVersion: "v1", kind: "Node", name, uid: `uid-${name}` }));
const AT_ONCE = "2026-01-01T12:00:00Z";
const LONG_AGO = "2026-01-01T11:00:00Z";
const RELEASE = [
  { op: "test", path: "/metadata/finalizers/0", value: "machinepool.cluster.x-k8s.io" },
  { op: "remove", path: "/metadata/finalizers/0" },
];

/** A pool whose deletion was asked for at `since`, with a Node deletion timeout of 10 s. */
function deleted(since = AT_ONCE, overrides: Overrides<MachinePool> = {}): MachinePool {
  const { metadata, ...rest } = overrides;
  return machinePool({
    status: { nodeRefs: REFS },
    ...rest,
    metadata: { deletionTimestamp: since, ...metadata },
  });
}
function untimed(since = AT_ONCE): MachinePool {
  return deleted(since, { spec: { template: { spec: { deletion: { nodeDeletionTimeoutSeconds: 0 } } } } });
}
const UNREACHABLE = connection({ status: { state: "unreachable", nodesComplete: false } });
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };

describe("machinepool-delete", () => {
  it("does nothing while the pool is not deleted", async () => {
    expect(await decide(machinepoolDelete, given(cluster(), machinePool()))).toEqual({ result: done });
  });

  it("deletes bootstrap and infrastructure object first, together, by uid", async () => {
    const world = given(cluster(), deleted(), bootstrapConfig(), infraMachinePool(), connection()).inWorkload(
      "default/c1",
      node("n1"),
    );
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toMatchObject([
      { target: { name: "p1-config", uid: "uid-p1-config" } },
      { target: { name: "p1-infra", uid: "uid-p1-infra" } },
    ]);
    expect(decision.patch).toBeUndefined();
    expect(decision.result).toEqual(waitFor("BootstrapConfig.metadata.uid"));
  });

  it("waits for both without deleting an object twice", async () => {
    const going = infraMachinePool({ metadata: { deletionTimestamp: AT_ONCE } });
    const decision = await decide(machinepoolDelete, given(cluster(), deleted(), going, connection()));
    expect(decision).toEqual({ delete: [], result: waitFor("InfraMachinePool.metadata.uid") });
  });

  it("goes by what the API server has, not by snapshots", async () => {
    const config = bootstrapConfig();
    const world = given(cluster(), deleted(AT_ONCE, { status: undefined }), config).goneLive(config);
    expect((await decide(machinepoolDelete, world)).patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("counts an object of another controller as gone and leaves it", async () => {
    const pool = deleted(AT_ONCE, { status: undefined });
    const world = given(cluster(), pool, bootstrapConfig(FOREIGN), infraMachinePool(FOREIGN));
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toBeUndefined();
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("deletes an object without a controller", async () => {
    const free = infraMachinePool({ metadata: { ownerReferences: undefined } });
    const decision = await decide(machinepoolDelete, given(cluster(), deleted(), free));
    expect(decision.delete).toMatchObject([{ target: { name: "p1-infra" } }]);
  });

  it("takes objects whose CRD is gone as gone, and waits where the CRD claims no contract", async () => {
    const infraCrd = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool");
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
      metadata: { labels: undefined },
    });
    const pool = deleted(AT_ONCE, { status: undefined });
    const gone = await decide(machinepoolDelete, given(cluster(), pool).without(infraCrd));
    expect(gone.patch?.[0]?.operations).toEqual(RELEASE);
    expect(await decide(machinepoolDelete, given(cluster(), pool, unlabelled))).toEqual({
      delete: [],
      result: waitFor(
        "CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachinePool",
      ),
    });
  });

  it("then deletes every referenced Node, listed or not, and waits until they are gone", async () => {
    const other = node("n2", { spec: { providerID: "foo://9" } });
    const world = given(cluster(), deleted(), connection()).inWorkload(
      "default/c1",
      node("n1"),
      other,
      node("n3"),
    );
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toMatchObject([
      { target: { cluster: "default/c1", name: "n1", uid: "uid-n1" } },
      { target: { cluster: "default/c1", name: "n2", uid: "uid-n2" } },
    ]);
    expect(decision.patch).toBeUndefined();
    // The deletes may be refused; an event reports that they are done.
    expect(decision.result).toEqual(requeueAfter(1_000, "Nodes to be deleted"));
    const going = { metadata: { deletionTimestamp: AT_ONCE } };
    const later = given(cluster(), deleted(), connection()).inWorkload("default/c1", node("n1", going));
    expect(await decide(machinepoolDelete, later)).toMatchObject({
      delete: [],
      result: requeueAfter(10_000, "the node deletion timeout"),
    });
  });

  it("deletes the Nodes of a large pool in batches, and all that are left once the timeout has passed", async () => {
    const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
    const nodeRefs = names.map((name) => ({ apiVersion: "v1", kind: "Node", name, uid: `uid-${name}` }));
    const deletions = async (since: string) => {
      const pool = deleted(since, { status: { nodeRefs } });
      const nodes = names.map((name) => node(name));
      const world = given(cluster(), pool, connection()).inWorkload("default/c1", ...nodes);
      return (await decide(machinepoolDelete, world)).delete?.length;
    };
    expect(await deletions(AT_ONCE)).toBe(500);
    expect(await deletions(LONG_AGO)).toBe(600);
  });

  it("removes only its own finalizer, with a test, once the Nodes are gone", async () => {
    const pool = deleted(AT_ONCE, {
      metadata: { finalizers: ["example.com/keep", "machinepool.cluster.x-k8s.io"] },
    });
    const { patch } = await decide(machinepoolDelete, given(cluster(), pool, connection()));
    expect(patch?.[0]?.operations).toEqual([
      { op: "test", path: "/metadata/finalizers/1", value: "machinepool.cluster.x-k8s.io" },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
  });

  it("never deletes a Node that was created again under the name of a ref", async () => {
    const recreated = node("n1", { metadata: { uid: "uid-new" } });
    const world = given(cluster(), deleted(), connection()).inWorkload("default/c1", recreated);
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toBeUndefined();
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("leaves a Node that another pool lists, also when only the API server knows it yet", async () => {
    const heir = machinePool({
      metadata: { name: "p2", uid: "uid-p2" },
      spec: { providerIDList: ["foo://1"] },
    });
    const known = given(cluster(), deleted(), connection());
    for (const world of [known.live(heir), given(heir, cluster(), deleted(), connection())]) {
      const decision = await decide(machinepoolDelete, world.inWorkload("default/c1", node("n1")), "p1");
      expect(decision.delete).toBeUndefined();
      expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
    }
  });

  it("waits for an unreachable workload cluster exactly until the timeout", async () => {
    expect(await decide(machinepoolDelete, given(cluster(), deleted(), UNREACHABLE))).toMatchObject({
      delete: [],
      result: requeueAfter(10_000, "the node deletion timeout"),
    });
  });

  it("gives the Nodes of an unreachable workload cluster up after the timeout", async () => {
    const { patch } = await decide(machinepoolDelete, given(cluster(), deleted(LONG_AGO), UNREACHABLE));
    expect(patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("waits for ever with a timeout of 0", async () => {
    expect(await decide(machinepoolDelete, given(cluster(), untimed(LONG_AGO), UNREACHABLE))).toMatchObject({
      delete: [],
      result: waitFor("Connection.status.state"),
    });
    const going = node("n1", { metadata: { deletionTimestamp: LONG_AGO } });
    const stays = given(cluster(), untimed(LONG_AGO), connection()).inWorkload("default/c1", going);
    expect((await decide(machinepoolDelete, stays)).result).toEqual(waitFor("Node.metadata.uid"));
  });

  it("tries Nodes that it may not read again without counting, until the timeout or for ever, and reports it", async () => {
    const message = 'get Node /n1: nodes "n1" is forbidden';
    const error = new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message });
    const events = [{ type: "Warning", reason: "FailedDeleteNode", message }];
    const world = (pool: MachinePool) => given(cluster(), pool, connection()).refusing("default/c1", error);
    expect(await decide(machinepoolDelete, world(deleted()))).toEqual({
      events,
      result: requeueAfter(1_000, message),
    });
    expect(await decide(machinepoolDelete, world(untimed(LONG_AGO)))).toEqual({
      events,
      result: requeueAfter(60_000, message),
    });
    const givenUp = await decide(machinepoolDelete, world(deleted(LONG_AGO)));
    expect(givenUp.events).toEqual(events);
    expect(givenUp.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("takes a connection that is lost while it reads as none", async () => {
    const world = (since: string) =>
      given(cluster(), deleted(since), connection()).refusing(
        "default/c1",
        new WaitingError("Connection default/c1"),
      );
    expect((await decide(machinepoolDelete, world(AT_ONCE))).result).toEqual(
      requeueAfter(10_000, "the node deletion timeout"),
    );
    expect((await decide(machinepoolDelete, world(LONG_AGO))).patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("fails when it cannot decide whether bootstrap and infrastructure are gone", async () => {
    const error = new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message: "no" });
    const world = given(cluster(), deleted(LONG_AGO), connection()).refusing("management", error);
    await expect(decide(machinepoolDelete, world)).rejects.toThrow(error);
  });

  it("makes one attempt at the Nodes although the timeout has passed", async () => {
    const world = given(cluster(), deleted(LONG_AGO), connection()).inWorkload("default/c1", node("n1"));
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toMatchObject([
      { target: { name: "n1" }, ifFails: { event: "FailedDeleteNode" } },
    ]);
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("continues without Nodes when the Cluster is gone, live", async () => {
    const world = given(deleted(), connection()).inWorkload("default/c1", node("n1"));
    const decision = await decide(machinepoolDelete, world);
    expect(decision.delete).toBeUndefined();
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("does nothing while the Cluster or the pool is paused, live", async () => {
    const paused = deleted(AT_ONCE, { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    const world = given(cluster(), deleted(), infraMachinePool());
    expect(await decide(machinepoolDelete, world.live(cluster({ spec: { paused: true } })))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
    expect(await decide(machinepoolDelete, world.live(paused))).toEqual({
      result: waitFor("MachinePool.metadata.annotations[cluster.x-k8s.io/paused]"),
    });
  });

  it("takes a pool apart that never had the finalizer", async () => {
    const pool = deleted(AT_ONCE, { metadata: { finalizers: ["example.com/keep"] } });
    const decision = await decide(machinepoolDelete, given(cluster(), pool, infraMachinePool()));
    expect(decision.delete).toMatchObject([{ target: { name: "p1-infra" } }]);
  });
});
