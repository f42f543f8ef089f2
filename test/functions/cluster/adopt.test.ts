import { describe, expect, it } from "vitest";
import { clusterAdopt } from "../../../functions/cluster/adopt.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, crd } from "../../support/builders.ts";
import {
  deletedCluster,
  FOREIGN_CONTROLLER,
  fooCluster,
  fooControlPlane,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../support/foo-cluster.ts";
import { decide, given, type World } from "../../support/world.ts";

const BARE = { metadata: { ownerReferences: undefined, labels: undefined } };

/** Returns the writes, by the name of the object. */
async function patches(world: World): Promise<object> {
  const { patch = [] } = await decide(clusterAdopt, world);
  return Object.fromEntries(patch.map(({ target, operations }) => [target.name, operations]));
}

describe("cluster-adopt", () => {
  it("gives both provider objects the Cluster's owner reference, without controller, and its label", async () => {
    const operations = [
      { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_C1] },
      { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
    ];
    expect(await patches(given(cluster(), fooCluster(BARE), fooControlPlane(BARE)))).toEqual({
      "c1-infra": operations,
      "c1-control-plane": operations,
    });
  });

  it("names no Cluster that has been recreated since its snapshot: the garbage collector would delete the object", async () => {
    const younger = fooCluster({
      metadata: { ...BARE.metadata, creationTimestamp: "2026-01-01T11:59:59Z" },
    });
    const world = given(cluster(), younger, fooControlPlane());
    expect(Object.keys(await patches(world))).toEqual(["c1-infra"]);
    expect(await patches(world.live(cluster({ metadata: { uid: "uid-recreated" } })))).toEqual({});
    expect(await patches(world.goneLive(cluster()))).toEqual({});
    expect(await patches(world.live(cluster({ spec: { paused: true } })))).toEqual({});
  });

  it("guards each patch by uid and resourceVersion, so that no object is created", async () => {
    const { patch } = await decide(clusterAdopt, given(cluster(), fooCluster(BARE), fooControlPlane()));
    expect(patch).toHaveLength(1);
    expect(patch?.[0]?.target).toMatchObject({ uid: "uid-c1-infra", resourceVersion: "60" });
  });

  it("writes nothing when both are right", async () => {
    const decision = await decide(clusterAdopt, given(cluster(), fooCluster(), fooControlPlane()));
    expect(decision).toEqual({ patch: [], events: [], result: done });
  });

  it("replaces the reference of an older version or uid at its place", async () => {
    const stale = { ...OWNED_BY_C1, apiVersion: "cluster.x-k8s.io/v1beta1", uid: "uid-before-restore" };
    const restored = fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER, stale] } });
    expect(await patches(given(cluster(), restored, fooControlPlane()))).toEqual({
      "c1-infra": [
        { op: "test", path: "/metadata/ownerReferences/1", value: stale },
        { op: "replace", path: "/metadata/ownerReferences/1", value: OWNED_BY_C1 },
      ],
    });
  });

  it("takes back a controller flag that it must not have without a topology", async () => {
    const controlling = { ...OWNED_BY_C1, controller: true, blockOwnerDeletion: true };
    const infra = fooCluster({ metadata: { ownerReferences: [controlling] } });
    expect(await patches(given(cluster(), infra, fooControlPlane()))).toMatchObject({
      "c1-infra": [{ op: "test" }, { op: "replace", value: OWNED_BY_C1 }],
    });
  });

  it("adds its reference beside a foreign controller and beside another Cluster", async () => {
    const other = { ...OWNED_BY_C1, name: "c2", uid: "uid-c2" };
    const infra = fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER] } });
    const controlPlane = fooControlPlane({ metadata: { ownerReferences: [other] } });
    const added = [{ op: "add", path: "/metadata/ownerReferences/-", value: OWNED_BY_C1 }];
    expect(await patches(given(cluster(), infra, controlPlane))).toEqual({
      "c1-infra": added,
      "c1-control-plane": added,
    });
  });

  it("controls both objects with a topology", async () => {
    const controlling = { ...OWNED_BY_C1, controller: true, blockOwnerDeletion: true };
    const world = given(cluster({ spec: { topology: TOPOLOGY } }), fooCluster(BARE), fooControlPlane(BARE));
    expect(await patches(world)).toMatchObject({
      "c1-infra": [{ op: "add", value: [controlling] }, { op: "add" }],
      "c1-control-plane": [{ op: "add", value: [controlling] }, { op: "add" }],
    });
  });

  it("refuses a foreign controller with a topology, says so, and adopts the other object", async () => {
    const infra = fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER] } });
    const world = given(cluster({ spec: { topology: TOPOLOGY } }), infra, fooControlPlane(BARE));
    const decision = await decide(clusterAdopt, world);
    expect(decision.patch?.map(({ target }) => target.name)).toEqual(["c1-control-plane"]);
    expect(decision.events).toEqual([
      {
        type: "Warning",
        reason: "ControlledByAnother",
        message: "FooCluster c1-infra is controlled by Composition stack",
      },
    ]);
    expect(decision.result).toEqual(waitFor("InfraCluster.metadata.ownerReferences"));
  });

  it("ignores the paused annotation of a provider object", async () => {
    const paused = fooCluster({
      metadata: { ownerReferences: undefined, annotations: { "cluster.x-k8s.io/paused": "true" } },
    });
    expect(await patches(given(cluster(), paused, fooControlPlane()))).toHaveProperty("c1-infra");
  });

  it("waits for an object that does not exist and adopts the other", async () => {
    const decision = await decide(clusterAdopt, given(cluster(), fooControlPlane(BARE)));
    expect(decision.patch?.map(({ target }) => target.name)).toEqual(["c1-control-plane"]);
    expect(decision.result).toEqual(waitFor("InfraCluster.metadata.uid"));
  });

  it("never writes to an object whose CRD has no contract label", async () => {
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooCluster", {
      metadata: { labels: { "cluster.x-k8s.io/v1beta2": undefined } },
    });
    const world = given(unlabelled, cluster(), fooCluster(BARE), fooControlPlane(BARE));
    const decision = await decide(clusterAdopt, world);
    expect(decision.patch?.map(({ target }) => target.name)).toEqual(["c1-control-plane"]);
    expect(decision.result).toEqual(
      waitFor("CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooCluster"),
    );
  });

  it("adopts only the infra object of a Cluster without controlPlaneRef", async () => {
    const alone = cluster({ spec: { controlPlaneRef: undefined } });
    expect(Object.keys(await patches(given(alone, fooCluster(BARE), fooControlPlane(BARE))))).toEqual([
      "c1-infra",
    ]);
  });

  it.each([
    [
      "the finalizer",
      cluster({ metadata: { finalizers: undefined } }),
      waitFor("Cluster.metadata.finalizers"),
    ],
    ["the end of a pause", cluster({ spec: { paused: true } }), waitFor("Cluster.spec.paused")],
    [
      "the references of a topology",
      cluster({ spec: { topology: TOPOLOGY, controlPlaneRef: undefined } }),
      waitFor("Cluster.spec.infrastructureRef"),
    ],
  ])("waits for %s", async (_, held, result) => {
    expect(await decide(clusterAdopt, given(held, fooCluster(BARE), fooControlPlane(BARE)))).toEqual({
      result,
    });
  });

  it("leaves the objects of a deleted Cluster alone", async () => {
    const world = given(deletedCluster(), fooCluster(BARE), fooControlPlane(BARE));
    expect(await decide(clusterAdopt, world)).toEqual({ result: done });
  });
});
