import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../../functions/cluster/status.ts";
import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  cluster,
  connection,
  crd,
  machine,
  machineCondition,
  machinePool,
  merge,
  type Overrides,
} from "../../support/builders.ts";
import {
  deletedCluster,
  fooCluster,
  fooControlPlane,
  newCluster,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../support/foo-cluster.ts";
import { appliedStatus, decide, given, NOW } from "../../support/world.ts";
import { reported, statuses, statusIn, withStatus } from "./reported-status.ts";

const C1 = { host: "c1.example.com", port: 6443 };
const EARLIER = "2026-01-01T11:00:00Z";

/** Cluster c1 a second after its creation, with everything written that comes before the status. */
const READY = newCluster({ metadata: { generation: 2 }, spec: { controlPlaneEndpoint: C1 } });

describe("cluster-status, coming up", () => {
  it("goes from nothing to Provisioned in one apply with three events", async () => {
    const world = given(READY, fooCluster(), fooControlPlane(), connection());
    const decision = await decide(clusterStatus, world);
    const status = appliedStatus<ClusterStatus>(decision);
    expect(status).toMatchObject({
      phase: "Provisioned",
      observedGeneration: 2,
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      controlPlane: { desiredReplicas: 3 },
    });
    expect(statuses(status)).toEqual({
      Available: "True Available",
      ControlPlaneAvailable: "True Available",
      ControlPlaneInitialized: "True Initialized",
      ControlPlaneMachinesReady: "True NoReplicas",
      ControlPlaneMachinesUpToDate: "True NoReplicas",
      Deleting: "False NotDeleting",
      InfrastructureReady: "True Ready",
      Paused: "False NotPaused",
      Remediating: "False NotRemediating",
      RemoteConnectionProbe: "True ProbeSucceeded",
      RollingOut: "False NotRollingOut",
      ScalingDown: "False NotScalingDown",
      ScalingUp: "False NotScalingUp",
      WorkerMachinesReady: "True NoReplicas",
      WorkerMachinesUpToDate: "True NoReplicas",
      WorkersAvailable: "True NoWorkers",
    });
    expect(decision.events?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "Normal InfrastructureReady",
      "Normal ControlPlaneInitialized",
      "Normal Provisioned",
    ]);
    expect(decision.result).toEqual(done);
  });

  it("has nothing more to say about what it has written", async () => {
    const objects = [fooCluster(), fooControlPlane(), connection(), machinePool()];
    const first = await statusIn(given(READY, ...objects));
    const later = new Date(NOW.getTime() + 10_000);
    const again = await decide(clusterStatus, given(withStatus(READY, first), ...objects), undefined, later);
    expect(again.apply?.["status"]).toEqual(first);
    expect(again.events).toEqual([]);
  });

  it.each([
    ["the infra object is not adopted yet", fooCluster({ metadata: { ownerReferences: undefined } }), READY],
    ["the endpoint is not copied yet", fooCluster(), newCluster()],
  ])("waits while %s, for both latches and generation to move once", async (_, infra, young) => {
    const { apply, result } = await decide(clusterStatus, given(young, infra, fooControlPlane()));
    expect(apply).toBeUndefined();
    expect(result).toEqual(requeueAfter(59_000, "finalizer, owner references and spec are written first"));
  });

  it("speaks after 60 s even if a write is refused, without raising observedGeneration", async () => {
    const refused = cluster({ spec: { controlPlaneEndpoint: undefined }, status: { observedGeneration: 1 } });
    const status = await statusIn(
      given(merge(refused, { metadata: { generation: 2 } }), fooCluster(), fooControlPlane()),
    );
    expect(status).toMatchObject({ observedGeneration: 1, phase: "Provisioning" });
    expect(status.initialization).toEqual({ infrastructureProvisioned: true, controlPlaneInitialized: true });
  });

  it("leaves observedGeneration out before it has one, never 0", async () => {
    const refused = cluster({ spec: { controlPlaneEndpoint: undefined }, status: undefined });
    expect(await statusIn(given(refused, fooCluster(), fooControlPlane()))).not.toHaveProperty(
      "observedGeneration",
    );
  });

  it("has no floor until both latches are set, and one second from then on", async () => {
    const starting = fooControlPlane({ status: undefined });
    expect(await decide(clusterStatus, given(READY, fooCluster(), starting))).not.toHaveProperty(
      "notBeforeMs",
    );
    expect(await decide(clusterStatus, given(READY, fooCluster(), fooControlPlane()))).toMatchObject({
      notBeforeMs: 1_000,
    });
  });

  it("has the floor of a Cluster without control plane object once the condition is True", async () => {
    const alone = cluster({
      spec: { controlPlaneRef: undefined },
      status: {
        conditions: [
          {
            type: "ControlPlaneInitialized",
            status: "True",
            reason: "Initialized",
            message: "",
            lastTransitionTime: EARLIER,
          },
        ],
      },
    });
    expect(await decide(clusterStatus, given(alone, fooCluster()))).toMatchObject({ notBeforeMs: 1_000 });
  });

  it("waits for the finalizer", async () => {
    const bare = newCluster({ metadata: { finalizers: undefined } });
    expect(await decide(clusterStatus, given(bare, fooCluster(), fooControlPlane()))).toEqual({
      result: waitFor("Cluster.metadata.finalizers"),
    });
  });

  it("says what a topology still has to bring and sets no latch", async () => {
    const planned = newCluster({
      spec: { topology: TOPOLOGY, infrastructureRef: undefined, controlPlaneRef: undefined },
    });
    const classes = crd("cluster.x-k8s.io", "ClusterClass", {
      metadata: { name: "clusterclasses.cluster.x-k8s.io" },
    });
    const status = await statusIn(given(classes, planned));
    expect(status).not.toHaveProperty("initialization");
    expect(reported(status, "InfrastructureReady")).toMatchObject({
      status: "False",
      reason: "ObjectDoesNotExist",
      message: "Waiting for cluster topology to be reconciled",
    });
    expect(reported(status, "Available")).toMatchObject({
      status: "False",
      message: expect.stringContaining("* TopologyReconciled: Condition not yet reported"),
    });
  });

  it("says that Capstan does not run a topology, and what does, with one Warning", async () => {
    const planned = newCluster({
      spec: { topology: TOPOLOGY, infrastructureRef: undefined, controlPlaneRef: undefined },
    });
    const decision = await decide(clusterStatus, given(planned));
    const message =
      "spec.topology needs Cluster API's topology controller, which does not run here; " +
      "set infrastructureRef and controlPlaneRef instead";
    const status = appliedStatus<ClusterStatus>(decision);
    for (const type of ["InfrastructureReady", "ControlPlaneAvailable", "ControlPlaneInitialized"]) {
      expect(reported(status, type)).toMatchObject({ reason: "ObjectDoesNotExist", message });
    }
    expect(reported(status, "Available")).toMatchObject({
      message: expect.stringContaining(`* TopologyReconciled: ${message}`),
    });
    expect(decision.events?.filter(({ type }) => type === "Warning")).toEqual([
      { type: "Warning", reason: "TopologyNotSupported", message },
    ]);
    expect(decision.result).toEqual(waitFor("Cluster.spec.infrastructureRef"));
  });
});

describe("cluster-status, workers and connection", () => {
  it("says why the workload cluster is not connected, once as an Event, and nothing of it at rest", async () => {
    const message = "workload cluster default/c1 is not connected: 10.0.0.1:6443 refuses the connection";
    const failing = connection({
      status: { state: "unreachable", failures: 1, message, nodesComplete: false },
    });
    const latched = { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } };
    const up = merge(READY, { status: latched });
    const objects = [fooCluster(), fooControlPlane(), failing];
    const decision = await decide(clusterStatus, given(up, ...objects));
    const status = appliedStatus<ClusterStatus>(decision);
    expect(reported(status, "RemoteConnectionProbe")).toMatchObject({
      status: "False",
      message: `Remote connection not established yet: ${message}`,
    });
    expect(decision.events).toContainEqual({ type: "Warning", reason: "ConnectionFailed", message });
    expect(decision.result).toEqual(waitFor("Connection.status.state"));
    const later = new Date(NOW.getTime() + 3_600_000);
    const again = await decide(clusterStatus, given(withStatus(up, status), ...objects), undefined, later);
    expect(again.apply?.["status"]).toEqual(status);
    expect(again.events).toEqual([{ type: "Warning", reason: "ConnectionFailed", message }]);
  });

  it("adds up the pools of its Cluster and no others", async () => {
    const counted = (name: string, clusterName: string) =>
      machinePool({
        metadata: { name, uid: name, labels: { "cluster.x-k8s.io/cluster-name": clusterName } },
        spec: { clusterName },
        status: { replicas: 2, readyReplicas: 1, versions: [{ version: "v1.34.2", replicas: 2 }] },
      });
    const world = given(
      cluster(),
      fooCluster(),
      fooControlPlane(),
      counted("p1", "c1"),
      counted("p2", "c1"),
      counted("p3", "c2"),
    );
    expect((await statusIn(world)).workers).toEqual({
      desiredReplicas: 6,
      replicas: 4,
      readyReplicas: 2,
      versions: [{ version: "v1.34.2", replicas: 4 }],
    });
  });

  it("comes back when the grace period of a failing connection ends", async () => {
    const failing = connection({
      status: { state: "unreachable", failures: 1, lastSuccess: "2026-01-01T11:59:40Z" },
    });
    const decision = await decide(clusterStatus, given(cluster(), fooCluster(), fooControlPlane(), failing));
    expect(reported(appliedStatus<ClusterStatus>(decision), "RemoteConnectionProbe")).toMatchObject({
      status: "True",
    });
    expect(decision.result).toEqual(requeueAfter(30_000, "grace period of the workload connection"));
  });
});

describe("cluster-status, Machines", () => {
  const conditions = ["Ready", "Available", "UpToDate"].map((type) => machineCondition(type, "True", type));
  const CONTROL_PLANE = { "cluster.x-k8s.io/control-plane": "" };

  function alone(name: string, labels: object = {}, more: Overrides<Machine> = {}) {
    const plain = machine(name, merge<Overrides<Machine>>({ status: { conditions } }, more));
    const owned = {
      labels: { "cluster.x-k8s.io/cluster-name": "c1", ...labels },
      ownerReferences: [OWNED_BY_C1],
    };
    return { ...plain, metadata: { ...plain.metadata, ...owned } };
  }

  it("counts a control plane without object, which the first Node initializes", async () => {
    const planned = cluster({ spec: { controlPlaneRef: undefined } });
    const young = given(planned, fooCluster(), connection(), alone("cp1", CONTROL_PLANE), alone("w1"));
    const decision = await decide(clusterStatus, young);
    expect(decision.result).toEqual(waitFor("Machine.status.nodeRef"));
    const status = appliedStatus<ClusterStatus>(decision);
    expect(status.controlPlane).toEqual({
      desiredReplicas: 1,
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 1,
      versions: [{ version: "v1.34.2", replicas: 1 }],
    });
    expect(status.workers).toMatchObject({ desiredReplicas: 1, availableReplicas: 1 });
    expect(statuses(status)).toMatchObject({
      ControlPlaneInitialized: "False NotInitialized",
      ControlPlaneAvailable: "False NotAvailable",
      ControlPlaneMachinesReady: "True Ready",
      WorkerMachinesUpToDate: "True UpToDate",
    });
    const joined = alone("cp1", CONTROL_PLANE, { status: { nodeRef: { name: "n1" } } });
    const up = await decide(clusterStatus, given(planned, fooCluster(), connection(), joined));
    expect(statuses(appliedStatus<ClusterStatus>(up))).toMatchObject({
      ControlPlaneInitialized: "True Initialized",
      ControlPlaneAvailable: "True Available",
    });
    expect(appliedStatus<ClusterStatus>(up).initialization).not.toHaveProperty("controlPlaneInitialized");
    expect(up.result).toEqual(done);
  });

  it("has no counters of a control plane without object and Machines", async () => {
    const planned = cluster({
      spec: { controlPlaneRef: undefined },
      status: { controlPlane: { replicas: 1 } },
    });
    expect(await statusIn(given(planned, fooCluster()))).not.toHaveProperty("controlPlane");
  });

  it("does not ask for the Machines of its pools", async () => {
    const status = await statusIn(given(cluster(), fooCluster(), fooControlPlane(), machine("p1-0")));
    expect(status).not.toHaveProperty("workers");
    expect(statuses(status)).toMatchObject({ WorkerMachinesReady: "True NoReplicas" });
  });

  it("counts a MachineSet that it owns itself and hears it about scaling", async () => {
    const set = {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "MachineSet",
      metadata: {
        name: "s1",
        namespace: "default",
        uid: "s1",
        resourceVersion: "3",
        ownerReferences: [OWNED_BY_C1],
      },
      spec: { clusterName: "c1", replicas: 5 },
      status: {
        replicas: 1,
        conditions: [
          machineCondition("ScalingUp", "True", "ScalingUp", "1 to 5"),
          machineCondition("ScalingDown", "False", "NotScalingDown"),
        ],
      },
    } as KubeObject;
    const status = await statusIn(given(cluster(), fooCluster(), fooControlPlane(), set));
    expect(status.workers).toEqual({ desiredReplicas: 5, replicas: 1 });
    expect(reported(status, "ScalingUp")).toMatchObject({
      status: "True",
      message: "* MachineSet s1: 1 to 5",
    });
    const other = { ...set, metadata: { ...set.metadata, ownerReferences: [] } };
    expect(await statusIn(given(cluster(), fooCluster(), fooControlPlane(), other))).not.toHaveProperty(
      "workers",
    );
  });

  it("comes back when a young Machine has had its time to report UpToDate", async () => {
    const young = alone("w1", {}, { status: { conditions: [] } });
    const creationTimestamp = "2026-01-01T11:59:54Z";
    const aged = { ...young, metadata: { ...young.metadata, creationTimestamp } };
    const decision = await decide(
      clusterStatus,
      given(cluster(), fooCluster(), fooControlPlane(), connection(), aged),
    );
    expect(decision.result).toEqual(requeueAfter(4_000, "a Machine may still report UpToDate"));
  });
});

describe("cluster-status, paused", () => {
  const before = {
    phase: "Provisioned",
    observedGeneration: 1,
    initialization: { infrastructureProvisioned: true },
    failureDomains: [{ name: "a", controlPlane: true }],
    controlPlane: { replicas: 3 },
    deprecated: { v1beta1: { failureReason: "Quota" } },
  } as const satisfies ClusterStatus;

  it("keeps its own values and says Paused", async () => {
    const paused = cluster({ metadata: { generation: 2 }, spec: { paused: true }, status: before });
    const decision = await decide(clusterStatus, given(paused, fooCluster(), fooControlPlane()));
    expect(decision).toMatchObject({
      apply: {
        status: {
          ...before,
          conditions: [
            {
              type: "Paused",
              status: "True",
              reason: "Paused",
              message: "Cluster spec.paused is set to true",
              lastTransitionTime: "2026-01-01T12:00:00Z",
              observedGeneration: 2,
            },
          ],
        },
      },
      result: waitFor("Cluster.spec.paused"),
    });
  });

  it("says only Paused of a Cluster that is paused and deleted", async () => {
    const paused = deletedCluster({
      metadata: { annotations: { "cluster.x-k8s.io/paused": "" } },
      status: before,
    });
    const status = await statusIn(given(paused, fooCluster(), fooControlPlane()));
    expect(status.phase).toBe("Provisioned");
    expect(statuses(status)).toEqual({ Paused: "True Paused" });
    expect(reported(status, "Paused")).toMatchObject({
      message: "Cluster has the cluster.x-k8s.io/paused annotation",
    });
  });
});

describe("cluster-status, deleting", () => {
  it("names the workers that are waited for and raises observedGeneration", async () => {
    const deleted = deletedCluster({ metadata: { generation: 3 } });
    const pools = ["f", "e", "d", "c", "b", "a"].map((name) =>
      machinePool({ metadata: { name, uid: name } }),
    );
    const status = await statusIn(given(deleted, fooCluster(), fooControlPlane(), ...pools));
    expect(status).toMatchObject({ phase: "Deleting", observedGeneration: 3 });
    expect(reported(status, "Deleting")).toMatchObject({
      status: "True",
      reason: "WaitingForWorkersDeletion",
      message: "* MachinePools: a, b, c, d, e, ... (1 more)",
    });
    const last = await statusIn(given(deleted, fooCluster(), fooControlPlane(), machine("p1-0")));
    expect(reported(last, "Deleting")).toMatchObject({ message: "* Worker Machines: p1-0" });
  });

  it.each([
    [
      "the control plane object",
      [fooCluster(), fooControlPlane()],
      "WaitingForControlPlaneDeletion",
      "FooControlPlane",
    ],
    ["the infra object", [fooCluster()], "WaitingForInfrastructureDeletion", "FooCluster"],
  ])("waits for %s next", async (_, objects, reason, kind) => {
    const status = await statusIn(given(deletedCluster(), ...objects));
    expect(reported(status, "Deleting")).toMatchObject({
      reason,
      message: `Waiting for ${kind} to be deleted`,
    });
  });

  it("continues to report everything else, and acts without our finalizer too", async () => {
    const status = await statusIn(given(deletedCluster({ metadata: { finalizers: ["example.com/other"] } })));
    expect(statuses(status)).toMatchObject({
      Available: "False NotAvailable",
      Deleting: "True DeletionCompleted",
      InfrastructureReady: "False ObjectDeleted",
      ControlPlaneAvailable: "False ObjectDoesNotExist",
    });
    expect(reported(status, "Available")).toMatchObject({
      message: expect.not.stringContaining("ObjectDeleted"),
    });
  });

  it("counts an object that another Cluster references as gone", async () => {
    const owners = [OWNED_BY_C1, { ...OWNED_BY_C1, name: "c2", uid: "uid-c2" }];
    const world = given(
      deletedCluster(),
      cluster({ metadata: { name: "c2", uid: "uid-c2" } }),
      fooCluster({ metadata: { ownerReferences: owners } }),
    );
    const decision = await decide(clusterStatus, world, "c1");
    expect(reported(appliedStatus<ClusterStatus>(decision), "Deleting")).toMatchObject({
      reason: "DeletionCompleted",
    });
  });
});
