import { describe, expect, it } from "vitest";
import { clusterSync } from "../../../functions/cluster/sync.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import {
  deletedCluster,
  FOREIGN_CONTROLLER,
  fooCluster,
  fooControlPlane,
  newCluster,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../support/foo-cluster.ts";
import { decide, given, type World } from "../../support/world.ts";

const C1 = { host: "c1.example.com", port: 6443 };
const NOTHING = { result: waitFor("InfraCluster.spec.controlPlaneEndpoint") };

async function copied(world: World): Promise<unknown> {
  const { patch = [] } = await decide(clusterSync, world);
  return patch.flatMap(({ operations }) => operations).map((operation) => Reflect.get(operation, "value"));
}

describe("cluster-sync", () => {
  it("copies host and port together once the infra object is provisioned, guarded by the resourceVersion", async () => {
    const fresh = newCluster();
    expect(await decide(clusterSync, given(fresh, fooCluster(), fooControlPlane()))).toEqual({
      patch: [
        {
          target: refTo(Cluster, fresh),
          operations: [{ op: "add", path: "/spec/controlPlaneEndpoint", value: C1 }],
        },
      ],
      result: done,
    });
  });

  it("writes the value that the source has now, not that of a snapshot", async () => {
    const moved = fooCluster({ spec: { controlPlaneEndpoint: { host: "new.example.com", port: 443 } } });
    const world = given(newCluster(), fooCluster(), fooControlPlane()).live(moved);
    expect(await copied(world)).toEqual([{ host: "new.example.com", port: 443 }]);
  });

  it.each([
    ["is gone", (world: World) => world.goneLive(fooCluster())],
    [
      "is no longer provisioned",
      (world: World) => world.live(fooCluster({ status: { initialization: undefined } })),
    ],
    ["has no endpoint any more", (world: World) => world.live(fooCluster({ spec: undefined }))],
  ])("writes nothing when the source %s", async (_, changed) => {
    const world = changed(given(newCluster(), fooCluster(), fooControlPlane()));
    expect(await decide(clusterSync, world)).toEqual(NOTHING);
  });

  it("takes the infra object's value when both report one", async () => {
    const controlPlane = fooControlPlane({ spec: { controlPlaneEndpoint: { host: "cp", port: 1 } } });
    expect(await copied(given(newCluster(), fooCluster(), controlPlane))).toEqual([C1]);
  });

  it("takes the control plane object's value once that is initialized", async () => {
    const infra = fooCluster({ spec: { controlPlaneEndpoint: undefined } });
    const spec = { controlPlaneEndpoint: { host: "cp", port: 1 } };
    expect(await copied(given(newCluster(), infra, fooControlPlane({ spec })))).toEqual([
      { host: "cp", port: 1 },
    ]);
    const starting = fooControlPlane({ spec, status: undefined });
    expect(await decide(clusterSync, given(newCluster(), infra, starting))).toEqual(NOTHING);
  });

  it("replaces a half-set value of the user by a valid one, and never clears it", async () => {
    const half = newCluster({ spec: { controlPlaneEndpoint: { host: "mine" } } });
    expect(await copied(given(half, fooCluster(), fooControlPlane()))).toEqual([C1]);
    const silent = fooCluster({ spec: { controlPlaneEndpoint: undefined } });
    expect(await decide(clusterSync, given(half, silent, fooControlPlane()))).toEqual(NOTHING);
  });

  it("keeps a valid value and reports another one of the provider, once per value", async () => {
    const changed = fooCluster({ spec: { controlPlaneEndpoint: { host: "fd00::1", port: 443 } } });
    expect(await decide(clusterSync, given(cluster(), changed, fooControlPlane()))).toEqual({
      events: [
        {
          type: "Warning",
          reason: "ControlPlaneEndpointChanged",
          message:
            "FooCluster reports control plane endpoint [fd00::1]:443, the Cluster keeps c1.example.com:6443",
        },
      ],
      result: done,
    });
  });

  it("writes and says nothing when Cluster and provider agree", async () => {
    const world = given(cluster(), fooCluster(), fooControlPlane());
    expect(await decide(clusterSync, world)).toEqual({ events: [], result: done });
  });

  it("reads nothing live at rest", async () => {
    const world = given(cluster(), fooCluster(), fooControlPlane()).goneLive(fooCluster());
    expect(await decide(clusterSync, world)).toEqual({ events: [], result: done });
  });

  it.each([
    ["is not ours yet", fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER] } })],
    [
      "belongs to an earlier Cluster of that name",
      fooCluster({ metadata: { ownerReferences: [{ ...OWNED_BY_C1, uid: "uid-old" }] } }),
    ],
    ["is not provisioned", fooCluster({ status: { initialization: { provisioned: false } } })],
    ["is being deleted", fooCluster({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } })],
    ["has port 0", fooCluster({ spec: { controlPlaneEndpoint: { port: 0 } } })],
    ["has a text as port", fooCluster({ spec: { controlPlaneEndpoint: { port: "6443" } } })],
    ["has a port that does not exist", fooCluster({ spec: { controlPlaneEndpoint: { port: 70_000 } } })],
  ])("takes nothing from an infra object that %s", async (_, infra) => {
    expect(await decide(clusterSync, given(newCluster(), infra, fooControlPlane()))).toEqual(NOTHING);
  });

  it("waits for a provider object that does not exist", async () => {
    expect(await decide(clusterSync, given(newCluster()))).toEqual(NOTHING);
  });

  it.each([
    ["the finalizer", { metadata: { finalizers: undefined } }, waitFor("Cluster.metadata.finalizers")],
    ["the end of a pause", { spec: { paused: true } }, waitFor("Cluster.spec.paused")],
    [
      "the references of a topology",
      { spec: { topology: TOPOLOGY, controlPlaneRef: undefined } },
      waitFor("Cluster.spec.infrastructureRef"),
    ],
  ])("waits for %s", async (_, overrides, result) => {
    const world = given(newCluster(overrides), fooCluster(), fooControlPlane());
    expect(await decide(clusterSync, world)).toEqual({ result });
  });

  it("leaves a deleted Cluster alone", async () => {
    const world = given(deletedCluster({ spec: { controlPlaneEndpoint: undefined } }), fooCluster());
    expect(await decide(clusterSync, world)).toEqual({ result: done });
  });
});
