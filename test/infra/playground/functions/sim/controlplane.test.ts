import { describe, expect, it } from "vitest";
import type { SimServer } from "../../../../../infra/playground/api/sim-cloud.ts";
import type { SimControlPlane } from "../../../../../infra/playground/api/sim-controlplane.ts";
import { simControlplane } from "../../../../../infra/playground/functions/sim/controlplane.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { AnyDecision } from "../../../../../shared/function/define-function.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, merge, type Overrides } from "../../../../support/builders.ts";
import {
  complete,
  controlPlaneMachine,
  domainCluster,
  machinesControlPlane,
  simServer,
  stored,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

type SimConditions = NonNullable<NonNullable<SimControlPlane["status"]>["conditions"]>;

/** The same without Machines, not initialized yet. */
function controlPlane(overrides: Overrides<SimControlPlane> = {}): SimControlPlane {
  const external = {
    spec: { machineTemplate: undefined },
    status: { initialization: undefined, certificates: { ready: true } },
  };
  return merge<SimControlPlane>(machinesControlPlane(external), overrides);
}

function conditionsIn(apply: AnyDecision["apply"]): { readonly [type: string]: string } {
  const conditions = (apply?.["status.conditions"] ?? []) as SimConditions;
  return Object.fromEntries(conditions.map(({ type, status, reason = "" }) => [type, `${status} ${reason}`]));
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

const up = server({ host: "127.0.0.1", port: 4711, ready: true });

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
    });
    expect(conditionsIn(decision.apply)["Available"]).toBe("False NotAvailable");
    expect(decision.result).toEqual(waitFor("Cluster.status.initialization.infrastructureProvisioned"));
  });

  it("is not initialized before its certificates and kubeconfig are there", async () => {
    const world = given(cluster(), controlPlane({ status: { certificates: undefined } }), up);
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
    });
    expect(conditionsIn(decision.apply)).toEqual({
      Available: "True Available",
      CertificatesAvailable: "True Available",
      Deleting: "False NotDeleting",
      Initialized: "True Initialized",
      MachinesReady: "True NoReplicas",
      MachinesUpToDate: "True NoReplicas",
      Paused: "False NotPaused",
      Remediating: "False NotRemediating",
      RollingOut: "False NotRollingOut",
      ScalingDown: "False NotScalingDown",
      ScalingUp: "False NotScalingUp",
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

  const world = (...objects: readonly KubeObject[]) =>
    given(domainCluster(), machinesControlPlane(), simServer(), ...TEMPLATES, ...objects);

  it("counts its Machines by their conditions and versions", async () => {
    const older = controlPlaneMachine("cp-1", {
      spec: { version: "v1.33.0" },
      status: { conditions: [stored("Ready", "True"), stored("UpToDate", "False", "NotUpToDate")] },
    });
    const { apply } = await decide(simControlplane, world(...complete("cp-1", "cp-2", "cp-3"), older));
    expect(apply).toMatchObject({
      "status.replicas": 3,
      "status.readyReplicas": 3,
      "status.availableReplicas": 2,
      "status.upToDateReplicas": 2,
      "status.versions": [
        { version: "v1.33.0", replicas: 1 },
        { version: "v1.34.2", replicas: 2 },
      ],
      "status.version": "v1.33.0",
      "status.externalManagedControlPlane": undefined,
      "status.observedGeneration": 1,
    });
    expect(conditionsIn(apply)).toMatchObject({
      Available: "True Available",
      MachinesReady: "True Ready",
      MachinesUpToDate: "False NotUpToDate",
      RollingOut: "True RollingOut",
    });
  });

  it("says that it scales up, and which template is missing", async () => {
    const { apply } = await decide(simControlplane, world(...complete("cp-1")).without(TEMPLATES[0]));
    expect(apply?.["status.conditions"]).toContainEqual(
      expect.objectContaining({
        type: "ScalingUp",
        status: "True",
        message:
          "Scaling up from 1 to 3 replicas is blocked because:\n* SimMachineTemplate t1 does not exist",
      }),
    );
    const going = machinesControlPlane({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    const deleted = await decide(simControlplane, world(going, ...complete("cp-1")));
    expect(conditionsIn(deleted.apply)).toMatchObject({
      Deleting: "True Deleting",
      ScalingDown: "True ScalingDown",
      ScalingUp: "False NotScalingUp",
    });
  });

  it("says that it remediates", async () => {
    const handedOver = controlPlaneMachine("cp-1", {
      status: { conditions: [stored("HealthCheckSucceeded", "False"), stored("OwnerRemediated", "False")] },
    });
    const { apply } = await decide(simControlplane, world(handedOver));
    expect(conditionsIn(apply)["Remediating"]).toBe("True Remediating");
  });

  it("takes the certificates' own word once there is one", async () => {
    const broken = machinesControlPlane({
      status: { certificates: { ready: false, message: "c1-ca expired" } },
    });
    const { apply } = await decide(simControlplane, world(broken));
    expect(apply?.["status.conditions"]).toContainEqual(
      expect.objectContaining({ type: "CertificatesAvailable", status: "False", message: "c1-ca expired" }),
    );
  });

  it("reports what a fault says", async () => {
    const faulty = machinesControlPlane({
      metadata: {
        annotations: {
          "fault.sim.capstan.dev/uninitialized": "",
          "fault.sim.capstan.dev/failure-reason": "Broken",
          "fault.sim.capstan.dev/failure-message": "it burns",
          "fault.sim.capstan.dev/invalid-available": "",
        },
      },
    });
    const { apply } = await decide(simControlplane, world(faulty));
    expect(apply).toMatchObject({
      "status.initialization.controlPlaneInitialized": false,
      "status.failureReason": "Broken",
      "status.failureMessage": "it burns",
    });
    expect(conditionsIn(apply)["Available"]).toBe("Sometimes NotAvailable");
  });

  it("is initialized later when a fault delays it", async () => {
    const slow = machinesControlPlane({
      metadata: {
        annotations: { "fault.sim.capstan.dev/initialized-after-seconds": "60" },
        creationTimestamp: "2026-01-01T11:59:30Z",
      },
      status: { initialization: undefined, certificates: { ready: true } },
    });
    const { apply, result } = await decide(simControlplane, world(slow));
    expect(apply?.["status.initialization.controlPlaneInitialized"]).toBeUndefined();
    expect(result).toEqual(requeueAfter(30_000, "the fault initialized-after-seconds"));
  });
});
