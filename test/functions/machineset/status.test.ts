import { describe, expect, it } from "vitest";
import { machinesetStatus } from "../../../functions/machineset/status.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet, MachineSetStatus } from "../../../shared/api/machineset.ts";
import { requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { cluster, machineCondition, type Overrides } from "../../support/builders.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  machineSet,
  setMachine,
  TEMPLATE_CRDS,
} from "../../support/foo-sets.ts";
import { appliedStatus, decide, given, NOW, type World } from "../../support/world.ts";

const CLUSTER = cluster({ spec: { controlPlaneRef: undefined } });
const DELETED = "2026-01-01T11:59:00Z";
const LONG_AGO = "2026-01-01T11:00:00Z";

function world(set: MachineSet, ...objects: readonly KubeObject[]): World {
  return given(CLUSTER, ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), set, ...objects);
}

const READY = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z" };

function running(name: string, overrides: Overrides<Machine> = {}): Machine {
  const conditions = ["Ready", "Available", "UpToDate", "NodeReady"].map((type) =>
    machineCondition(type, "True", type),
  );
  return setMachine(name, {
    ...overrides,
    status: {
      conditions,
      nodeInfo: { kubeletVersion: "v1.34.2" } as never,
      deprecated: { v1beta1: { conditions: [READY] } },
      ...overrides.status,
    },
  });
}

async function statusOf(to: World): Promise<MachineSetStatus> {
  return appliedStatus(await decide(machinesetStatus, to));
}

/** `ScalingUp` → `True ScalingUp Scaling up …`. */
async function conditionsOf(to: World): Promise<{ readonly [type: string]: string }> {
  const { conditions = [] } = await statusOf(to);
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason} ${message}`.trim()]),
  );
}

const SCALED = ["m1", "m2", "m3"].map((name) => running(name));

describe("machineset-status", () => {
  it("waits for the Cluster, and for the finalizer", async () => {
    expect(await decide(machinesetStatus, world(machineSet()).without(CLUSTER))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(
      await decide(machinesetStatus, world(machineSet({ metadata: { finalizers: undefined } }))),
    ).toEqual({
      result: waitFor("MachineSet.metadata.finalizers"),
    });
  });

  it("counts Machines by their conditions, and writes the selector as text", async () => {
    const sick = running("m3", { status: { conditions: [machineCondition("Ready", "False", "NotReady")] } });
    const updating = running("m4", {
      metadata: { annotations: { "in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "" } },
    });
    const machines = [
      running("m1"),
      running("m2", { metadata: { deletionTimestamp: DELETED } }),
      sick,
      updating,
    ];
    expect(await statusOf(world(machineSet({ spec: { replicas: 4 } }), ...machines))).toMatchObject({
      selector: "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/set-name=s1",
      replicas: 4,
      readyReplicas: 2,
      availableReplicas: 2,
      upToDateReplicas: 2,
      versions: [{ version: "v1.34.2", replicas: 4 }],
      observedGeneration: 2,
    });
  });

  it("counts versions by kubelet, else by spec", async () => {
    const older = running("m2", { spec: { version: "v1.33.0" }, status: { nodeInfo: undefined } });
    const unknown = running("m3", { status: { nodeInfo: undefined } });
    const { versions } = await statusOf(world(machineSet(), running("m1"), older, unknown));
    expect(versions).toEqual([
      { version: "v1.33.0", replicas: 1 },
      { version: "v1.34.2", replicas: 1 },
    ]);
  });

  it("says of a set at rest that all is well", async () => {
    expect(await conditionsOf(world(machineSet(), ...SCALED))).toEqual({
      Deleting: "False NotDeleting",
      MachinesReady: "True Ready",
      MachinesUpToDate: "True UpToDate",
      Paused: "False NotPaused",
      Remediating: "False NotRemediating",
      ScalingDown: "False NotScalingDown",
      ScalingUp: "False NotScalingUp",
    });
  });

  it("says of an empty set that nothing is missing", async () => {
    expect(await conditionsOf(world(machineSet({ spec: { replicas: 0 } })))).toMatchObject({
      MachinesReady: "True NoReplicas",
      MachinesUpToDate: "True NoReplicas",
    });
  });

  it.each([
    [
      "more",
      5,
      { ScalingUp: "True ScalingUp Scaling up from 3 to 5 replicas", ScalingDown: "False NotScalingDown" },
    ],
    [
      "fewer",
      1,
      { ScalingDown: "True ScalingDown Scaling down from 3 to 1 replicas", ScalingUp: "False NotScalingUp" },
    ],
    [
      "an unknown number of",
      undefined,
      {
        ScalingUp: "Unknown WaitingForReplicasSet Waiting for spec.replicas set",
        ScalingDown: "Unknown WaitingForReplicasSet Waiting for spec.replicas set",
      },
    ],
  ])("says that %s Machines are wanted", async (_, replicas, expected) => {
    expect(await conditionsOf(world(machineSet({ spec: { replicas } }), ...SCALED))).toMatchObject(expected);
  });

  it("names what blocks more Machines: checks, then templates", async () => {
    const set = machineSet();
    const objects = world(set).snapshots.map(({ object }) => object);
    const blocked = given(...objects, cluster())
      .without(infraTemplate())
      .without(bootstrapTemplate());
    expect((await conditionsOf(blocked))["ScalingUp"]).toBe(
      "True ScalingUp Scaling up from 0 to 3 replicas is blocked because:\n* FooControlPlane default/c1-control-plane does not exist\n* FooConfigTemplate and FooMachineTemplate do not exist",
    );
    const enough = world(set, ...SCALED).without(infraTemplate());
    expect((await conditionsOf(enough))["ScalingUp"]).toBe(
      "False NotScalingUp Scaling up would be blocked because FooMachineTemplate does not exist",
    );
  });

  it("names the field that admission would have refused", async () => {
    const set = machineSet({
      spec: { template: { metadata: { labels: { "cluster.x-k8s.io/set-name": "x" } } } },
    });
    const decision = await decide(machinesetStatus, world(set));
    const { conditions = [] } = appliedStatus<MachineSetStatus>(decision);
    expect(conditions.find(({ type }) => type === "ScalingUp")?.message).toContain("* spec.selector ");
    expect(decision.result).toEqual(waitFor("MachineSet.spec"));
  });

  it("aggregates what its Machines say, and names unhealthy ones", async () => {
    const sick = running("m1", {
      status: {
        conditions: [
          machineCondition("Ready", "False", "NotReady", "* NodeHealthy: no"),
          machineCondition("UpToDate", "True", "UpToDate"),
          machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
        ],
      },
    });
    expect(await conditionsOf(world(machineSet(), sick, running("m2"), running("m3")))).toMatchObject({
      MachinesReady: "False NotReady * Machine m1:\n  * NodeHealthy: no",
      Remediating: "False NotRemediating Machine m1 is not healthy (not to be remediated by MachineSet)",
    });
    const handedOver = running("m1", {
      status: {
        conditions: [
          machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
          machineCondition("OwnerRemediated", "False", "MachineDeleting", "Machine is deleting"),
          machineCondition("UpToDate", "True", "UpToDate"),
        ],
      },
    });
    expect((await conditionsOf(world(machineSet(), handedOver)))["Remediating"]).toBe(
      "True Remediating * Machine m1: Machine is deleting",
    );
  });

  it("does not miss UpToDate of a Machine in its first ten seconds, and looks again then", async () => {
    const young = setMachine("m1", { metadata: { creationTimestamp: "2026-01-01T11:59:55Z" } });
    const to = world(machineSet({ spec: { replicas: 1 } }), young);
    expect((await conditionsOf(to))["MachinesUpToDate"]).toBe("True NoReplicas");
    expect((await decide(machinesetStatus, to)).result).toEqual(
      requeueAfter(5_000, "a Machine may still report UpToDate"),
    );
  });

  it("is written once for Machines that come and go in a group, unless one of them takes long", async () => {
    const madeAt = (second: string) => ({ metadata: { creationTimestamp: `2026-01-01T11:59:${second}Z` } });
    const set = machineSet({ spec: { replicas: 3 } });
    const [coming, going] = [
      setMachine("m1", madeAt("58")),
      running("m2", { metadata: { deletionTimestamp: "2026-01-01T11:59:57Z" } }),
    ];
    expect(await decide(machinesetStatus, world(set, coming, going, running("m3", madeAt("59"))))).toEqual({
      result: requeueAfter(2_000, "Machines come and go in a group"),
    });
    for (const slow of [
      setMachine("m4", madeAt("55")),
      running("m5", { metadata: { deletionTimestamp: DELETED } }),
    ])
      expect((await statusOf(world(set, coming, going, slow))).replicas).toBe(3);
    expect((await statusOf(world(set, running("m1", madeAt("58"))))).availableReplicas).toBe(1);
  });

  it("counts down while it is deleted, and names Machines that take long, and why", async () => {
    const deletion = { nodeDrainStartTime: LONG_AGO };
    const message = `Drain not completed yet (started at ${LONG_AGO}):\n* Pods default/a: cannot evict pod as it would violate the pod's disruption budget. x`;
    const stuck = running("m1", {
      metadata: { deletionTimestamp: LONG_AGO },
      status: { deletion, conditions: [machineCondition("Deleting", "True", "DrainingNode", message)] },
    });
    const going = running("m2", { metadata: { deletionTimestamp: DELETED } });
    const set = machineSet({ metadata: { deletionTimestamp: DELETED } });
    const stale = "* Machine m1 is in deletion since more than 15m, delay likely due to PodDisruptionBudgets";
    expect(await conditionsOf(world(set, stuck, going))).toMatchObject({
      Deleting: `True Deleting Deleting 2 Machines\n${stale}`,
      ScalingDown: `True ScalingDown Scaling down from 2 to 0 replicas\n${stale}`,
    });
    expect((await decide(machinesetStatus, world(set, going))).result).toEqual(
      requeueAfter(14 * 60_000, "the deletion of a Machine takes long"),
    );
    expect((await conditionsOf(world(set, going)))["Deleting"]).toBe("True Deleting Deleting 1 Machine");
    expect((await conditionsOf(world(set)))["Deleting"]).toBe("True DeletionCompleted Deletion completed");
  });

  it("says that Machines are being moved", async () => {
    const annotations = { "in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset": "s2" };
    const set = machineSet({ metadata: { annotations }, spec: { replicas: 1 } });
    expect((await conditionsOf(world(set, ...SCALED)))["ScalingDown"]).toBe(
      "True ScalingDown Scaling down from 3 to 1 replicas is blocked because:\n* Machines are being moved to another MachineSet, which Cluster API's manager does",
    );
  });

  it("keeps the counters and conditions of v1beta1", async () => {
    const { deprecated } = await statusOf(world(machineSet(), running("m1"), running("m2")));
    expect(deprecated?.v1beta1).toMatchObject({
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      conditions: [
        { type: "Ready", status: "False", reason: "ScalingUp" },
        { type: "MachinesReady", status: "True" },
        {
          type: "Resized",
          status: "False",
          severity: "Warning",
          message: "Scaling up MachineSet to 3 replicas (actual 2)",
        },
      ],
    });
    const { deprecated: complete } = await statusOf(world(machineSet(), ...SCALED));
    expect(complete?.v1beta1?.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
      "Ready True",
      "MachinesCreated True",
      "MachinesReady True",
      "Resized True",
    ]);
  });

  it("writes only Paused while paused", async () => {
    const status = { replicas: 7, observedGeneration: 1 };
    const paused = machineSet({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } }, status });
    const { conditions, ...rest } = await statusOf(world(paused, ...SCALED));
    expect(rest).toEqual(status);
    expect(conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual(["Paused True"]);
  });

  it("waits for the guard while a set is young, and keeps observedGeneration until it has written", async () => {
    const young = { metadata: { creationTimestamp: NOW.toISOString(), labels: undefined } };
    expect((await decide(machinesetStatus, world(machineSet(young)))).result).toMatchObject({
      type: "requeue",
    });
    const unlabelled = machineSet({ metadata: { labels: undefined }, status: { observedGeneration: 1 } });
    expect(await statusOf(world(unlabelled))).toMatchObject({ observedGeneration: 1 });
  });

  it("carries on what others keep in the status, and settles", async () => {
    const first = await statusOf(world(machineSet(), ...SCALED));
    const again = await statusOf(
      world(machineSet({ status: first as Overrides<MachineSetStatus> }), ...SCALED),
    );
    expect(again).toEqual(first);
  });
});
