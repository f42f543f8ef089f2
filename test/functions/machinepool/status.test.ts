import { describe, expect, it } from "vitest";
import { machinepoolStatus } from "../../../functions/machinepool/status.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  crd,
  infraMachinePool,
  machine,
  machineCondition,
  machinePool,
  node,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { appliedStatus, decide, given, NOW } from "../../support/world.ts";

const NODES = [node("n1"), node("n2"), node("n3")];
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };

/** Everything is ready; `objects` replace or join what is there. */
function world(...objects: readonly KubeObject[]) {
  return given(
    cluster(),
    connection(),
    machinePool(),
    bootstrapConfig(),
    infraMachinePool(),
    ...objects,
  ).inWorkload("default/c1", ...NODES);
}

async function statusOf(from: ReturnType<typeof given>, now?: Date): Promise<MachinePoolStatus> {
  return appliedStatus(await decide(machinepoolStatus, from, "p1", now));
}

/** The pool as the next run sees it after this one's status was written. */
async function settled(from = world()): Promise<MachinePool> {
  return machinePool({ status: JSON.parse(JSON.stringify(await statusOf(from))) });
}

function conditionsOf({ conditions = [] }: MachinePoolStatus) {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

describe("machinepool-status", () => {
  it("says Running with refs in the order of the list, counters and all ten conditions", async () => {
    const decision = await decide(machinepoolStatus, world());
    const status = appliedStatus<MachinePoolStatus>(decision);
    expect(status).toMatchObject({
      phase: "Running",
      observedGeneration: 2,
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      upToDateReplicas: 3,
      versions: [{ version: "v1.34.2", replicas: 3 }],
      nodeRefs: ["n1", "n2", "n3"].map((name) => ({
        apiVersion: "v1",
        kind: "Node",
        name,
        uid: `uid-${name}`,
      })),
      deprecated: { v1beta1: { readyReplicas: 3, availableReplicas: 3 } },
    });
    expect(conditionsOf(status)).toEqual({
      Available: "True Available",
      BootstrapConfigReady: "True Ready",
      Deleting: "False NotDeleting",
      InfrastructureReady: "True Ready",
      MachinesReady: "True NoReplicas",
      MachinesUpToDate: "True NoReplicas",
      Paused: "False NotPaused",
      Remediating: "False NotRemediating",
      ScalingDown: "False NotScalingDown",
      ScalingUp: "False NotScalingUp",
    });
    expect(status.deprecated?.v1beta1?.conditions?.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
      "Ready True",
      "BootstrapReady True",
      "InfrastructureReady True",
      "ReplicasReady True",
    ]);
    expect(decision.events).toEqual([
      { type: "Normal", reason: "SuccessfulSetNodeRefs", message: "3 Nodes, 3 of them ready" },
    ]);
    expect(decision.result).toEqual(done);
  });

  it("says the same again when nothing has changed, later and without an event", async () => {
    const pool = await settled();
    const again = await decide(machinepoolStatus, world(pool), "p1", new Date("2026-01-01T13:00:00Z"));
    expect(JSON.parse(JSON.stringify(appliedStatus(again)))).toEqual(pool.status);
    expect(again.events).toEqual([]);
  });

  it("writes the same status whatever the order in which Nodes were seen", async () => {
    const reversed = given(
      cluster(),
      connection(),
      machinePool(),
      bootstrapConfig(),
      infraMachinePool(),
    ).inWorkload("default/c1", ...NODES.toReversed());
    expect(await statusOf(reversed)).toEqual(await statusOf(world()));
  });

  it("waits for the Cluster, and for the finalizer", async () => {
    const unguarded = machinePool({ metadata: { finalizers: undefined } });
    expect(await decide(machinepoolStatus, world().without(cluster()))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(await decide(machinepoolStatus, world(unguarded))).toEqual({
      result: waitFor("MachinePool.metadata.finalizers"),
    });
  });

  it("lets the spec be written first while the pool is young", async () => {
    const young = machinePool({
      metadata: { creationTimestamp: "2026-01-01T11:59:10Z" },
      spec: { providerIDList: undefined },
    });
    expect(await decide(machinepoolStatus, world(young))).toEqual({
      result: requeueAfter(10_000, "finalizer, owner references and spec are written first"),
    });
  });

  it("speaks after a minute although the spec is not written, without raising observedGeneration", async () => {
    const refused = machinePool({
      spec: { providerIDList: undefined },
      status: { observedGeneration: 1, phase: "Pending" },
    });
    expect(await statusOf(world(refused))).toMatchObject({ observedGeneration: 1, replicas: 3 });
  });

  it("writes only Paused into its own values while paused, deleted or not", async () => {
    const { status } = await settled();
    for (const deletionTimestamp of [undefined, "2026-01-01T11:59:00Z"]) {
      const pool = machinePool({ metadata: { deletionTimestamp }, ...(status ? { status } : {}) });
      const from = world(
        pool,
        cluster({ spec: { paused: true } }),
        infraMachinePool({ status: { ready: false } }),
      );
      const written = await statusOf(from);
      expect(conditionsOf(written)).toEqual({ ...conditionsOf(status ?? {}), Paused: "True Paused" });
      expect({ ...written, conditions: [] }).toEqual({ ...status, conditions: [] });
    }
  });

  it("keeps its own values while deleting and says what is waited for", async () => {
    const { status } = await settled();
    const pool = machinePool({
      metadata: { deletionTimestamp: "2026-01-01T11:59:00Z", generation: 3 },
      ...(status ? { status } : {}),
    });
    const decision = await decide(
      machinepoolStatus,
      world(pool, infraMachinePool({ status: { ready: false } })),
    );
    const written = appliedStatus<MachinePoolStatus>(decision);
    expect(written).toMatchObject({
      phase: "Deleting",
      observedGeneration: 3,
      nodeRefs: status?.nodeRefs,
      initialization: { infrastructureProvisioned: true },
    });
    expect(written.conditions?.find(({ type }) => type === "Deleting")).toMatchObject({
      status: "True",
      reason: "Deleting",
      message:
        "Waiting for bootstrap.cluster.x-k8s.io/FooConfig p1-config and infrastructure.cluster.x-k8s.io/FooMachinePool p1-infra to be deleted",
    });
    expect(decision.notBeforeMs).toBe(5_000);
    expect(decision.result).toEqual(waitFor("BootstrapConfig.metadata.uid"));
  });

  it("keeps refs and counters while the workload cluster cannot be seen, and follows readiness", async () => {
    const pool = await settled();
    const lost = connection({ status: { state: "unreachable" } });
    const { nodeRefs, versions, initialization, phase } = await statusOf(
      world(pool, lost, infraMachinePool({ status: { ready: false } })),
    );
    expect(nodeRefs).toEqual(pool.status?.nodeRefs);
    expect(versions).toEqual(pool.status?.versions);
    expect(initialization?.infrastructureProvisioned).toBe(false);
    expect(phase).toBe("Provisioned");
  });

  it("says why a pool that comes up sees no Nodes", async () => {
    const message = "kubeconfig Secret default/c1-kubeconfig does not exist; create it";
    const unseen = connection({ status: { state: "unknown", nodesComplete: false, message } });
    const young = machinePool({
      status: { nodeRefs: undefined, deprecated: undefined, replicas: undefined },
    });
    const { conditions } = await statusOf(world(unseen, young));
    expect(conditions?.find(({ type }) => type === "Available")).toMatchObject({
      status: "False",
      message: `0 available replicas, 3 desired; ${message}`,
    });
  });

  it("warns of each kind that it references and cannot read", async () => {
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
      metadata: { labels: undefined },
    });
    const without = world(unlabelled).without(crd("bootstrap.cluster.x-k8s.io", "FooConfig"));
    const { events } = await decide(machinepoolStatus, without, "p1");
    expect(events?.filter(({ reason }) => reason === "UnresolvedReference")).toEqual([
      expect.objectContaining({ type: "Warning", message: expect.stringContaining("install the provider") }),
      expect.objectContaining({ type: "Warning", message: expect.stringContaining("kubectl label crd") }),
    ]);
  });

  it("keeps the values of an object that another pool controls, and names the controller", async () => {
    const pool = await settled();
    const written = await statusOf(world(pool, infraMachinePool({ ...FOREIGN, status: { ready: false } })));
    expect(written.initialization?.infrastructureProvisioned).toBe(true);
    expect(written.conditions?.find(({ type }) => type === "InfrastructureReady")).toMatchObject({
      status: "False",
      reason: "NotReady",
      message: "FooMachinePool p1-infra is controlled by MachinePool p2",
    });
  });

  it("brands a pool whose infrastructure object was deleted only on the API server's word", async () => {
    const pool = await settled();
    const lost = await statusOf(world(pool).without(infraMachinePool()));
    expect(lost.deprecated?.v1beta1).toMatchObject({
      failureReason: "InvalidConfiguration",
      failureMessage:
        "MachinePool infrastructure resource FooMachinePool default/p1-infra has been deleted after being ready",
    });
    expect(conditionsOf(lost)["InfrastructureReady"]).toBe("False ObjectDeleted");
    expect(lost.nodeRefs).toEqual(pool.status?.nodeRefs);

    const lagging = await statusOf(world(pool).without(infraMachinePool()).live(infraMachinePool()));
    expect(lagging.deprecated?.v1beta1?.failureReason).toBeUndefined();
    expect(conditionsOf(lagging)["InfrastructureReady"]).toBe("True Ready");
  });

  it("never clears a failure", async () => {
    const failing = infraMachinePool({ status: { failureReason: "CreateError", failureMessage: "quota" } });
    const failed = await settled(world(failing));
    expect((await statusOf(world(failed))).deprecated?.v1beta1).toMatchObject({
      failureReason: "CreateError",
      failureMessage:
        'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooMachinePool with name "p1-infra": quota',
    });
  });

  it("comes back when the next Node has been Ready for minReadySeconds", async () => {
    const patient = machinePool({ spec: { template: { spec: { minReadySeconds: 30 } } } });
    const fresh = node("n3", {
      status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:59:50Z" }] },
    });
    const from = world(patient).inWorkload("default/c1", fresh);
    const { result } = await decide(machinepoolStatus, from);
    expect(result).toEqual(requeueAfter(20_001, "minReadySeconds of a Node"));
    expect((await statusOf(from)).deprecated?.v1beta1).toMatchObject({
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 1,
    });
    const later = new Date(NOW.getTime() + 20_001);
    expect((await statusOf(from, later)).deprecated?.v1beta1?.availableReplicas).toBe(3);
  });

  it("survives provider objects full of nonsense with a status the API server takes", async () => {
    const nonsense = {
      status: {
        ready: "yes",
        replicas: -1,
        failureReason: 7,
        failureMessage: "x".repeat(20_000),
        conditions: [{ type: "Ready", status: "True", reason: "not a reason", message: "m".repeat(20_000) }],
      },
    };
    const status = await statusOf(world(infraMachinePool(nonsense), bootstrapConfig(nonsense)));
    expect(conditionsOf(status)).toMatchObject({
      InfrastructureReady: "True Ready",
      BootstrapConfigReady: "True Ready",
    });
    expect(status.deprecated?.v1beta1?.failureMessage).toMatch(/…$/);
  });

  describe("a Node that left the list", () => {
    const REFS = NODES.map(({ metadata: { name, uid } }) => ({ apiVersion: "v1", kind: "Node", name, uid }));
    const left = machinePool({
      spec: { replicas: 2, providerIDList: ["foo://1", "foo://2"] },
      status: { nodeRefs: REFS },
    });
    const other = (nodeRefs: readonly object[], providerIDList = ["foo://3"]) =>
      machinePool({
        metadata: { name: "p2", uid: "uid-p2", labels: { "cluster.x-k8s.io/cluster-name": "c1" } },
        spec: { providerIDList },
        status: { nodeRefs },
      });
    const infra = infraMachinePool({ spec: { providerIDList: ["foo://1", "foo://2"] } });
    const refsOf = async (from: ReturnType<typeof given>) =>
      (await statusOf(from)).nodeRefs?.map(({ name }) => name);

    it("is named until it is gone, and looked at every minute", async () => {
      const decision = await decide(machinepoolStatus, world(left, infra), "p1");
      expect(appliedStatus<MachinePoolStatus>(decision).nodeRefs).toEqual(REFS);
      expect(decision.result).toMatchObject({ type: "requeue", afterMs: 60_000 });
    });

    it("is another pool's once that lists and names it", async () => {
      expect(await refsOf(world(left, infra, other([REFS[2] ?? {}])))).toEqual(["n1", "n2"]);
      expect(await refsOf(world(left, infra, other([])))).toEqual(["n1", "n2", "n3"]);
    });

    it("is given up only by what the API server has: otherwise two pools could give it up to each other", async () => {
      const shown = world(left, infra, other([REFS[2] ?? {}]));
      expect(await refsOf(shown.live(other([REFS[2] ?? {}], ["foo://9"])))).toEqual(["n1", "n2", "n3"]);
    });
  });

  it("reports two Nodes with one provider ID and counts the Ready one", async () => {
    const twin = node("a1", { status: { conditions: [{ type: "Ready", status: "False" }] } });
    const decision = await decide(machinepoolStatus, world().inWorkload("default/c1", twin));
    expect(decision.events?.map(({ reason }) => reason)).toEqual([
      "SuccessfulSetNodeRefs",
      "DuplicateProviderID",
    ]);
    expect(appliedStatus<MachinePoolStatus>(decision).nodeRefs?.map(({ name }) => name)).toEqual([
      "n1",
      "n2",
      "n3",
    ]);
  });

  describe("of a pool with Machines", () => {
    const infra = infraMachinePool({ status: { infrastructureMachineKind: "FooMachine" } });
    const good = [
      machineCondition("Ready", "True", "Ready"),
      machineCondition("Available", "True", "Available"),
      machineCondition("UpToDate", "True", "UpToDate"),
    ];
    const conditionsOf = async (to: ReturnType<typeof given>) =>
      new Map((await statusOf(to)).conditions?.map((entry) => [entry.type, entry]));

    it("counts Machines, not what the provider reports, and takes their versions", async () => {
      const status = await statusOf(
        world(
          infra,
          machine("m1", { status: { conditions: good } }),
          machine("m2", { spec: { version: "v1.33.0" }, status: { conditions: good.slice(0, 1) } }),
          machine("m3", { status: undefined, spec: { version: undefined } }),
        ),
      );
      expect(status).toMatchObject({
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 1,
        upToDateReplicas: 1,
        versions: [
          { version: "v1.33.0", replicas: 1 },
          { version: "v1.34.2", replicas: 1 },
        ],
      });
    });

    it("counts no Machine of another controller, and none without a machine kind", async () => {
      const foreign = machine("m1", {
        metadata: { ownerReferences: [{ ...OWNED_BY_P1, kind: "MachineSet", name: "s1", uid: "uid-s1" }] },
        status: { conditions: good },
      });
      expect(await statusOf(world(infra, foreign))).toMatchObject({ readyReplicas: 0, upToDateReplicas: 0 });
      expect(await statusOf(world(machine("m1")))).toMatchObject({ readyReplicas: 3 });
    });

    it("keeps the versions while the workload cluster is not connected", async () => {
      const versions = [{ version: "v1.30.0", replicas: 9 }];
      const blind = world(
        infra,
        machinePool({ status: { versions } }),
        machine("m1"),
        connection({ status: { nodesComplete: false } }),
      );
      expect(await statusOf(blind)).toMatchObject({ versions });
    });

    it("is Available when as many Machines are as replicas are wanted", async () => {
      const machines = ["m1", "m2", "m3"].map((name) => machine(name, { status: { conditions: good } }));
      expect((await conditionsOf(world(infra, ...machines))).get("Available")).toMatchObject({
        status: "True",
      });
      expect((await conditionsOf(world(infra, ...machines.slice(1)))).get("Available")).toMatchObject({
        status: "False",
        message: "2 available replicas, 3 desired",
      });
    });

    it("merges Ready and UpToDate of the Machines, and says which wait for remediation", async () => {
      const sick = machine("m2", {
        status: {
          conditions: [
            machineCondition("Ready", "False", "NotReady", "disk is full"),
            machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
            machineCondition("OwnerRemediated", "False", "WaitingForRemediation", "Waiting for remediation"),
          ],
        },
      });
      const conditions = await conditionsOf(
        world(infra, machine("m1", { status: { conditions: good } }), sick),
      );
      expect(conditions.get("MachinesReady")).toMatchObject({
        status: "False",
        reason: "NotReady",
        message: "* Machine m2: disk is full",
      });
      expect(conditions.get("MachinesUpToDate")).toMatchObject({
        status: "Unknown",
        reason: "UpToDateUnknown",
      });
      expect(conditions.get("Remediating")).toMatchObject({
        status: "True",
        message: "* Machine m2: Waiting for remediation",
      });
    });
  });
});
