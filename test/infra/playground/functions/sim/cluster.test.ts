import { describe, expect, it } from "vitest";
import type { SimServer } from "../../../../../infra/playground/api/sim-cloud.ts";
import type { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { simCluster } from "../../../../../infra/playground/functions/sim/cluster.ts";
import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, merge, type Overrides } from "../../../../support/builders.ts";
import { decide, given } from "../../../../support/world.ts";

const FINALIZER = "simcluster.infrastructure.sim.capstan.dev";
const OWNER = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" };

function infra(overrides: Overrides<SimCluster> = {}): SimCluster {
  return merge<SimCluster>(
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimCluster",
      metadata: {
        name: "c1-infra",
        namespace: "default",
        uid: "uid-c1-infra",
        resourceVersion: "40",
        generation: 1,
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        finalizers: [FINALIZER],
        ownerReferences: [OWNER],
      },
      spec: {},
    },
    overrides,
  );
}

function server(overrides: Overrides<SimServer> = {}): SimServer {
  return merge<SimServer>(
    {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimServer",
      metadata: {
        name: "c1",
        namespace: "default",
        uid: "uid-server",
        resourceVersion: "50",
        ownerReferences: [
          {
            apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
            kind: "SimCluster",
            name: "c1-infra",
            uid: "uid-c1-infra",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { clusterName: "c1" },
      status: { host: "127.0.0.1", port: 4711, ready: true },
    },
    overrides,
  );
}

const endpoint = { host: "127.0.0.1", port: 4711 };

describe("sim-cluster", () => {
  it("waits for the owner reference of the Cluster", async () => {
    const world = given(cluster(), infra({ metadata: { ownerReferences: undefined } }));
    expect(await decide(simCluster, world)).toEqual({
      result: waitFor("SimCluster.metadata.ownerReferences"),
    });
  });

  it("takes no earlier Cluster of that name for its owner", async () => {
    const world = given(cluster({ metadata: { uid: "uid-restored" } }), infra());
    expect(await decide(simCluster, world)).toEqual({
      result: waitFor("SimCluster.metadata.ownerReferences"),
    });
  });

  it("leaves an object alone that another system manages, but takes its own finalizer away", async () => {
    const annotations = { "cluster.x-k8s.io/managed-by": "another" };
    expect(await decide(simCluster, given(cluster(), infra({ metadata: { annotations } })))).toEqual({
      result: done,
    });
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const deleted = infra({ metadata: { annotations, deletionTimestamp } });
    const { patch } = await decide(simCluster, given(cluster(), deleted));
    expect(patch?.[0]?.operations.at(-1)).toEqual({ op: "remove", path: "/metadata/finalizers/0" });
  });

  it("adds its finalizer before anything else", async () => {
    const world = given(cluster(), infra({ metadata: { finalizers: undefined } }));
    const { patch, create } = await decide(simCluster, world);
    expect(create).toBeUndefined();
    expect(patch?.[0]?.operations).toEqual([{ op: "add", path: "/metadata/finalizers", value: [FINALIZER] }]);
    expect(patch?.[0]?.target).toMatchObject({ uid: "uid-c1-infra", resourceVersion: "40" });
  });

  it("orders a server with the name of the Cluster and is not ready meanwhile", async () => {
    const decision = await decide(simCluster, given(cluster(), infra()));
    expect(decision.create?.map(({ object }) => object)).toMatchObject([
      {
        kind: "SimServer",
        metadata: {
          name: "c1",
          namespace: "default",
          labels: { "cluster.x-k8s.io/cluster-name": "c1" },
          ownerReferences: [{ kind: "SimCluster", uid: "uid-c1-infra", controller: true }],
        },
        spec: { clusterName: "c1" },
      },
    ]);
    expect(decision.apply).toMatchObject({
      "status.initialization.provisioned": undefined,
      "status.conditions": [
        { type: "Ready", status: "False", reason: "NotReady", observedGeneration: 1 },
        { type: "Paused", status: "False" },
      ],
    });
    expect(decision.result).toEqual(waitFor("SimServer.status.host"));
  });

  it("copies the endpoint of a ready server before it says provisioned", async () => {
    const { patch, apply } = await decide(simCluster, given(cluster(), infra(), server()));
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/spec/controlPlaneEndpoint", value: endpoint },
    ]);
    expect(apply).toBeUndefined();
  });

  it("is provisioned and ready once the endpoint is there", async () => {
    const world = given(cluster(), infra({ spec: { controlPlaneEndpoint: endpoint } }), server());
    const decision = await decide(simCluster, world);
    expect(decision.patch).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.initialization.provisioned": true,
      "status.conditions": [{ type: "Ready", status: "True" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(done);
  });

  it("stays provisioned when its server is gone for a while", async () => {
    const provisioned = infra({
      spec: { controlPlaneEndpoint: endpoint },
      status: { initialization: { provisioned: true } },
    });
    const world = given(cluster(), provisioned, server({ status: undefined }));
    const { apply } = await decide(simCluster, world);
    expect(apply).toMatchObject({
      "status.initialization.provisioned": true,
      "status.conditions": [{ type: "Ready", status: "False" }, { type: "Paused" }],
    });
  });

  it("is provisioned with an address, before the API server answers there", async () => {
    const known = infra({ spec: { controlPlaneEndpoint: endpoint } });
    const { apply } = await decide(simCluster, given(cluster(), known, server({ status: { ready: false } })));
    expect(apply).toMatchObject({ "status.initialization.provisioned": true });
  });

  it("reports the failure domains of its spec once it is provisioned", async () => {
    const failureDomains = [{ name: "a", controlPlane: true }, { name: "b" }];
    const known = infra({ spec: { failureDomains } });
    const waiting = await decide(simCluster, given(cluster(), known, server({ status: undefined })));
    expect(waiting.apply?.["status.failureDomains"]).toBeUndefined();
    const ready = infra({ spec: { controlPlaneEndpoint: endpoint, failureDomains } });
    const { apply } = await decide(simCluster, given(cluster(), ready, server()));
    expect(apply).toMatchObject({ "status.failureDomains": failureDomains });
  });

  it("IC-22: orders no server where the control plane brings the endpoint, and waits for it", async () => {
    const external = infra({ spec: { endpointMode: "external" } });
    const early = cluster({ spec: { controlPlaneEndpoint: undefined } });
    const waiting = await decide(simCluster, given(early, external));
    expect(waiting.create).toBeUndefined();
    expect(waiting.apply).toMatchObject({
      "status.initialization.provisioned": undefined,
      "status.conditions": [{ type: "Ready", status: "False" }, { type: "Paused" }],
    });
    expect(waiting.result).toEqual(waitFor("Cluster.spec.controlPlaneEndpoint"));
    const decision = await decide(simCluster, given(cluster(), external));
    expect(decision.create).toBeUndefined();
    expect(decision.apply).toMatchObject({ "status.initialization.provisioned": true });
  });

  const controlPlaneRef = {
    apiGroup: "controlplane.sim.capstan.dev",
    kind: "SimControlPlane",
    name: "c1-control-plane",
  };
  const controlPlane = (spec: object): KubeObject =>
    ({
      apiVersion: "controlplane.sim.capstan.dev/v1beta2",
      kind: "SimControlPlane",
      metadata: { name: "c1-control-plane", namespace: "default", uid: "uid-cp" },
      spec,
    }) as KubeObject;

  it.each<[string, Cluster, readonly KubeObject[], true | undefined]>([
    [
      "a control plane of Machines",
      cluster({ spec: { controlPlaneRef } }),
      [controlPlane({ machineTemplate: {} })],
      true,
    ],
    ["a control plane that is not there yet", cluster({ spec: { controlPlaneRef } }), [], true],
    ["an external control plane", cluster({ spec: { controlPlaneRef } }), [controlPlane({})], undefined],
    ["another provider", cluster(), [], undefined],
    ["no control plane object", cluster({ spec: { controlPlaneRef: undefined } }), [], true],
  ])("orders a server that waits for Machines or not: %s", async (_what, owner, objects, onMachines) => {
    const { create } = await decide(simCluster, given(owner, infra(), ...objects));
    expect((create?.[0]?.object as SimServer | undefined)?.spec.onMachines).toBe(onMachines);
  });

  it("follows a server that came back on another port", async () => {
    const known = infra({ spec: { controlPlaneEndpoint: { host: "127.0.0.1", port: 1 } } });
    const { patch } = await decide(simCluster, given(cluster(), known, server()));
    expect(patch?.[0]?.operations).toMatchObject([{ value: endpoint }]);
  });

  describe("that is being deleted", () => {
    const deleted = infra({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });

    it("deletes its server first, also without its Cluster", async () => {
      const world = given(deleted, server());
      const decision = await decide(simCluster, world);
      expect(decision.delete).toMatchObject([
        { target: { name: "c1", uid: "uid-server", resourceVersion: "50" } },
      ]);
      expect(decision.patch).toBeUndefined();
    });

    it("leaves a server of another owner", async () => {
      const foreign = server({ metadata: { ownerReferences: [] } });
      const decision = await decide(simCluster, given(cluster(), deleted, foreign));
      expect(decision.delete).toBeUndefined();
    });

    it("removes the finalizer when the API server has no server of it any more", async () => {
      const world = given(cluster(), deleted, server()).goneLive(server());
      const { patch } = await decide(simCluster, world);
      expect(patch?.[0]?.operations).toEqual([
        { op: "test", path: "/metadata/finalizers/0", value: FINALIZER },
        { op: "remove", path: "/metadata/finalizers/0" },
      ]);
    });

    it("has nothing to do without its finalizer", async () => {
      const bare = infra({
        metadata: { deletionTimestamp: "2026-01-01T11:59:00Z", finalizers: ["other"] },
      });
      expect(await decide(simCluster, given(cluster(), bare, server()))).toEqual({ result: done });
    });
  });
});
