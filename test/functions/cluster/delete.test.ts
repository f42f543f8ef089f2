import { describe, expect, it } from "vitest";
import { clusterDelete } from "../../../functions/cluster/delete.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, crd, machinePool, OWNED_BY_P1 } from "../../support/builders.ts";
import {
  deletedCluster,
  FOREIGN_CONTROLLER,
  fooCluster,
  fooControlPlane,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../support/foo-cluster.ts";
import { decide, given, type World } from "../../support/world.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:30Z" } };
const FINALIZER = "cluster.cluster.x-k8s.io";

async function deletes(world: World): Promise<readonly (string | undefined)[]> {
  const decision = await decide(clusterDelete, world, "c1");
  return (decision.delete ?? []).map(({ target }) => `${target.kind.kind} ${target.name}`);
}

/** A Machine, MachineSet or MachineDeployment. */
function upstream(
  kind: string,
  name: string,
  labels: { readonly [key: string]: string } = {},
  owner = OWNED_BY_C1,
): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind,
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "80",
      labels: { "cluster.x-k8s.io/cluster-name": "c1", ...labels },
      ownerReferences: [owner],
    },
    spec: { clusterName: "c1" },
  } as KubeObject;
}

describe("cluster-delete", () => {
  it("does nothing while the Cluster lives", async () => {
    expect(await decide(clusterDelete, given(cluster(), fooCluster()))).toEqual({ result: done });
  });

  it("deletes the workers first, and only those, with uid and resourceVersion", async () => {
    const world = given(deletedCluster(), machinePool(), fooCluster(), fooControlPlane());
    const decision = await decide(clusterDelete, world);
    expect(decision.delete).toMatchObject([
      { target: { name: "p1", namespace: "default", uid: "uid-p1", resourceVersion: "20" } },
    ]);
    expect(decision).not.toHaveProperty("patch");
    expect(decision.result).toEqual(waitFor("MachinePool.metadata.uid"));
  });

  it.each([
    ["worker", [machinePool(GOING), fooCluster(), fooControlPlane()], "MachinePool"],
    [
      "indirect worker whose owner is going",
      [machinePool(GOING), upstream("Machine", "p1-0", {}, OWNED_BY_P1), fooControlPlane()],
      "MachinePool, Machine",
    ],
    ["control plane object", [fooCluster(), fooControlPlane(GOING)], "FooControlPlane"],
    ["infra object", [fooCluster(GOING)], "FooCluster"],
  ])("waits without a request for a %s that is going already", async (_, objects, awaited) => {
    const world = given(deletedCluster(), ...objects).refusing(MANAGEMENT, new Error("a live read"));
    expect(await decide(clusterDelete, world)).toEqual({ result: waitFor(`${awaited}.metadata.uid`) });
  });

  it("looks again when a snapshot shows a worker of its own that is not going yet", async () => {
    const world = given(deletedCluster(), machinePool(GOING), upstream("Machine", "m1"));
    expect(await deletes(world)).toEqual(["Machine m1"]);
  });

  it("waits for a labelled worker that the Cluster does not own, without deleting it", async () => {
    const foreign = machinePool({ metadata: { ownerReferences: undefined } });
    const world = given(deletedCluster(), foreign, fooCluster(), fooControlPlane());
    expect(await decide(clusterDelete, world)).toEqual({ result: waitFor("MachinePool.metadata.uid") });
  });

  it("waits for a pool that names the Cluster and has no label yet, while it exists", async () => {
    const young = machinePool({ metadata: { labels: undefined, ownerReferences: undefined } });
    const world = given(deletedCluster(), young, fooControlPlane());
    expect(await decide(clusterDelete, world)).toEqual({ result: waitFor("MachinePool.metadata.uid") });
    expect(await deletes(world.goneLive(young))).toEqual(["FooControlPlane c1-control-plane"]);
  });

  it("believes live lists, not snapshots", async () => {
    const late = given(deletedCluster(), fooControlPlane()).live(machinePool());
    expect(await deletes(late)).toEqual(["MachinePool p1"]);
    const gone = given(deletedCluster(), machinePool(), fooControlPlane()).goneLive(machinePool());
    expect(await deletes(gone)).toEqual(["FooControlPlane c1-control-plane"]);
  });

  it("deletes the control plane object after the workers and waits for it to be gone", async () => {
    expect(await deletes(given(deletedCluster(), fooCluster(), fooControlPlane()))).toEqual([
      "FooControlPlane c1-control-plane",
    ]);
    const going = given(deletedCluster(), fooCluster(), fooControlPlane(GOING));
    expect(await decide(clusterDelete, going)).toMatchObject({
      result: waitFor("FooControlPlane.metadata.uid"),
    });
    expect(await deletes(going)).toEqual([]);
  });

  it("deletes the infra object last, also one that another tool controls", async () => {
    const infra = fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER, OWNED_BY_C1] } });
    expect(await deletes(given(deletedCluster(), infra))).toEqual(["FooCluster c1-infra"]);
  });

  it("removes the finalizer when a live look finds nothing left", async () => {
    const deleted = deletedCluster({ metadata: { finalizers: ["example.com/other", FINALIZER] } });
    const decision = await decide(clusterDelete, given(deleted));
    expect(decision.patch?.[0]?.target.resourceVersion).toBe(deleted.metadata.resourceVersion);
    expect(decision.patch?.[0]?.operations).toEqual([
      { op: "test", path: "/metadata/finalizers/1", value: FINALIZER },
      { op: "remove", path: "/metadata/finalizers/1" },
    ]);
    expect(decision.events).toEqual([{ type: "Normal", reason: "Deleted", message: "Deletion completed" }]);
    expect(decision.result).toEqual(done);
  });

  it("keeps the finalizer while an object that no snapshot shows still exists", async () => {
    const world = given(deletedCluster()).live(fooCluster());
    expect(await decide(clusterDelete, world)).not.toHaveProperty("patch");
  });

  it("takes a Cluster apart that never had our finalizer", async () => {
    const bare = deletedCluster({ metadata: { finalizers: ["example.com/other"] } });
    expect(await deletes(given(bare, fooControlPlane()))).toEqual(["FooControlPlane c1-control-plane"]);
    expect(await decide(clusterDelete, given(bare))).toEqual({ events: [], result: done });
  });

  it.each([
    ["spec.paused", deletedCluster({ spec: { paused: true } })],
    [
      "metadata.annotations[cluster.x-k8s.io/paused]",
      deletedCluster({ metadata: { annotations: { "cluster.x-k8s.io/paused": "no" } } }),
    ],
  ])("deletes nothing while %s pauses the Cluster, by a live look", async (field, paused) => {
    const result = waitFor(`Cluster.${field}`);
    const world = given(deletedCluster(), machinePool(), fooCluster()).live(paused);
    expect(await decide(clusterDelete, world)).toEqual({ result });
    expect(await decide(clusterDelete, given(paused))).toEqual({ result });
  });

  it.each([
    ["is gone already", (world: World) => world.goneLive(deletedCluster())],
    ["was recreated", (world: World) => world.live(cluster({ metadata: { uid: "uid-new" } }))],
  ])("does nothing for a Cluster that %s", async (_, changed) => {
    const world = changed(given(deletedCluster(), machinePool(), fooCluster()));
    expect(await decide(clusterDelete, world)).toEqual({ result: done });
  });

  it("waits for ok-to-delete with a topology", async () => {
    const planned = { spec: { topology: TOPOLOGY } };
    const classes = crd("cluster.x-k8s.io", "ClusterClass", {
      metadata: { name: "clusterclasses.cluster.x-k8s.io" },
    });
    const held = given(classes, deletedCluster(planned), machinePool());
    expect(await decide(clusterDelete, held)).toEqual({ result: waitFor("Cluster.metadata.annotations") });
    const allowed = { metadata: { annotations: { "runtime.cluster.x-k8s.io/ok-to-delete": "" } } };
    expect(await deletes(given(classes, deletedCluster({ ...planned, ...allowed }), machinePool()))).toEqual([
      "MachinePool p1",
    ]);
  });
});

describe("cluster-delete and CRDs", () => {
  it("waits for no hook where a live look finds no ClusterClasses: no topology controller runs", async () => {
    const planned = deletedCluster({ spec: { topology: TOPOLOGY } });
    expect(await deletes(given(planned, machinePool()))).toEqual(["MachinePool p1"]);
  });

  it("waits when a CRD has lost its contract label", async () => {
    const unlabelled = crd("controlplane.cluster.x-k8s.io", "FooControlPlane", {
      metadata: { labels: { "cluster.x-k8s.io/v1beta2": undefined } },
    });
    const world = given(unlabelled, deletedCluster(), fooCluster(), fooControlPlane());
    expect(await decide(clusterDelete, world)).toMatchObject({
      result: waitFor(
        "CustomResourceDefinition.metadata.labels of controlplane.cluster.x-k8s.io/FooControlPlane",
      ),
    });
    expect(await deletes(world)).toEqual([]);
  });

  it("takes the objects of a CRD that is gone as gone", async () => {
    const world = given(deletedCluster(), fooCluster()).without(
      crd("controlplane.cluster.x-k8s.io", "FooControlPlane"),
    );
    expect(await deletes(world)).toEqual(["FooCluster c1-infra"]);
  });
});

describe("cluster-delete and an object of two Clusters", () => {
  const OWNERS = [OWNED_BY_C1, { ...OWNED_BY_C1, name: "c2", uid: "uid-c2" }];
  const shared = fooCluster({ metadata: { ownerReferences: OWNERS } });
  const other = cluster({ metadata: { name: "c2", uid: "uid-c2" } });

  it("leaves it to the other one that exists and references it", async () => {
    const decision = await decide(clusterDelete, given(deletedCluster(), other, shared), "c1");
    expect(decision).not.toHaveProperty("delete");
    expect(decision.patch).toHaveLength(1);
    expect(decision.events?.[0]).toEqual({
      type: "Normal",
      reason: "SharedWithAnotherCluster",
      message: "FooCluster c1-infra is left to Cluster c2, which references it too",
    });
  });

  it.each([
    ["is gone", given(deletedCluster(), other, shared).goneLive(other)],
    [
      "references another one",
      given(
        deletedCluster(),
        shared,
        cluster({
          metadata: { name: "c2", uid: "uid-c2" },
          spec: { infrastructureRef: { name: "c2-infra" } },
        }),
      ),
    ],
  ])("deletes it when the other one %s", async (_, world) => {
    expect(await deletes(world)).toEqual(["FooCluster c1-infra"]);
  });
});

describe("cluster-delete beside an installation of Cluster API", () => {
  it("keeps the finalizer while sets exist that only a live list shows", async () => {
    const world = given(deletedCluster()).live(upstream("MachineSet", "ms1"));
    expect(await deletes(world)).toEqual(["MachineSet ms1"]);
    expect((await decide(clusterDelete, world)).result).toEqual(waitFor("MachineSet.metadata.uid"));
  });

  it("waits for the Machines of a pool without deleting them, until an event reports their end", async () => {
    const owned = upstream("Machine", "p1-0", {}, OWNED_BY_P1);
    const both = given(deletedCluster(), machinePool(), owned, fooControlPlane());
    expect(await deletes(both)).toEqual(["MachinePool p1"]);
    const left = given(deletedCluster(), fooControlPlane()).live(owned);
    expect(await decide(clusterDelete, left)).toEqual({ result: waitFor("Machine.metadata.uid") });
  });

  it("deletes pools, deployments, sets and Machines in this order, control plane Machines last", async () => {
    const world = given(
      deletedCluster({ spec: { controlPlaneRef: undefined } }),
      machinePool(),
      upstream("Machine", "cp1", { "cluster.x-k8s.io/control-plane": "" }),
      upstream("Machine", "m1"),
      upstream("MachineSet", "ms1"),
      upstream("MachineDeployment", "md1"),
    );
    expect(await deletes(world)).toEqual([
      "MachinePool p1",
      "MachineDeployment md1",
      "MachineSet ms1",
      "Machine m1",
      "Machine cp1",
    ]);
  });

  it("neither deletes nor waits for control plane Machines of a control plane object", async () => {
    const world = given(
      deletedCluster(),
      upstream("Machine", "cp1", { "cluster.x-k8s.io/control-plane": "" }),
      fooControlPlane(),
    );
    expect(await deletes(world)).toEqual(["FooControlPlane c1-control-plane"]);
  });
});
