import { describe, expect, it } from "vitest";
import { simControlplane } from "../../../functions/sim/controlplane.ts";
import type { SimServer } from "../../../shared/api/sim/sim-cloud.ts";
import type { SimControlPlane } from "../../../shared/api/sim/sim-controlplane.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, merge, type Overrides } from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

function controlPlane(overrides: Overrides<SimControlPlane> = {}): SimControlPlane {
  return merge<SimControlPlane>(
    {
      apiVersion: "controlplane.sim.capstan.dev/v1beta2",
      kind: "SimControlPlane",
      metadata: {
        name: "c1-control-plane",
        namespace: "default",
        uid: "uid-cp",
        resourceVersion: "60",
        generation: 1,
        ownerReferences: [
          { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" },
        ],
      },
      spec: { replicas: 3, version: "v1.34.2" },
    },
    overrides,
  );
}

function server(status: SimServer["status"]): SimServer {
  return {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimServer",
    metadata: { name: "c1", namespace: "default", uid: "uid-server", resourceVersion: "50" },
    spec: { clusterName: "c1" },
    status,
  };
}

const up = server({ host: "127.0.0.1", port: 4711, ready: true, kubeconfigSecretName: "c1-kubeconfig" });

describe("sim-controlplane", () => {
  it("waits for the owner reference of the Cluster", async () => {
    const world = given(cluster(), controlPlane({ metadata: { ownerReferences: undefined } }));
    expect(await decide(simControlplane, world)).toEqual({
      result: waitFor("SimControlPlane.metadata.ownerReferences"),
    });
  });

  it("waits for the infrastructure of the Cluster, even when the server answers", async () => {
    const world = given(cluster({ status: { initialization: undefined } }), controlPlane(), up);
    const decision = await decide(simControlplane, world);
    expect(decision.apply).toMatchObject({
      "status.initialization.controlPlaneInitialized": undefined,
      "status.externalManagedControlPlane": true,
      "status.conditions": [{ type: "Available", status: "False" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(waitFor("Cluster.status.initialization.infrastructureProvisioned"));
  });

  it("is not initialized before the kubeconfig Secret is named", async () => {
    const world = given(cluster(), controlPlane(), server({ ready: true }));
    const decision = await decide(simControlplane, world);
    expect(decision.apply).toMatchObject({
      "status.initialization.controlPlaneInitialized": undefined,
      "status.replicas": 3,
      "status.readyReplicas": 0,
      "status.availableReplicas": 0,
      "status.versions": undefined,
    });
    expect(decision.result).toEqual(waitFor("SimServer.status.ready"));
  });

  it("is initialized and available with the server up and the kubeconfig Secret there", async () => {
    const decision = await decide(simControlplane, given(cluster(), controlPlane(), up));
    expect(decision.apply).toMatchObject({
      "status.initialization.controlPlaneInitialized": true,
      "status.selector": "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/control-plane",
      "status.replicas": 3,
      "status.readyReplicas": 3,
      "status.availableReplicas": 3,
      "status.upToDateReplicas": 3,
      "status.versions": [{ version: "v1.34.2", replicas: 3 }],
      "status.version": "v1.34.2",
      "status.conditions": [{ type: "Available", status: "True" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(done);
  });

  it("reports no version when it manages none", async () => {
    const world = given(cluster(), controlPlane({ spec: { version: undefined } }), up);
    const { apply } = await decide(simControlplane, world);
    expect(apply).toMatchObject({ "status.versions": undefined, "status.version": undefined });
  });

  it("stays initialized when its server is gone for a while", async () => {
    const initialized = controlPlane({ status: { initialization: { controlPlaneInitialized: true } } });
    const { apply } = await decide(simControlplane, given(cluster(), initialized));
    expect(apply).toMatchObject({
      "status.initialization.controlPlaneInitialized": true,
      "status.availableReplicas": 0,
    });
  });

  it("changes nothing but the Paused condition while paused", async () => {
    const paused = controlPlane({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    expect(await decide(simControlplane, given(cluster(), paused, up))).toMatchObject({
      apply: {
        "status.replicas": undefined,
        // Found by the simulation, F-19.
        "status.selector": undefined,
        "status.externalManagedControlPlane": undefined,
        "status.conditions": [
          {
            type: "Paused",
            status: "True",
            message: "SimControlPlane has the cluster.x-k8s.io/paused annotation",
          },
        ],
      },
      result: done,
    });
  });
});
