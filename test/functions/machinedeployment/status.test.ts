import { describe, expect, it } from "vitest";
import { machinedeploymentStatus } from "../../../functions/machinedeployment/status.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachineDeployment, MachineDeploymentStatus } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { createReader } from "../../../shared/runtime/read/reader.ts";
import { cluster, machineCondition, type Overrides } from "../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../support/foo-deployments.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  OWNED_BY_S1,
  setMachine,
  TEMPLATE_CRDS,
} from "../../support/foo-sets.ts";
import { appliedStatus, decide, given, NOW, storeOf, type World } from "../../support/world.ts";

const READY = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z" } as const;

function world(deployment: MachineDeployment, ...objects: readonly KubeObject[]): World {
  return given(cluster(), ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), deployment, ...objects);
}

function set(name: string, count: number, overrides: Overrides<MachineSet> = {}): MachineSet {
  return setOfDeployment(name, {
    spec: { replicas: count, ...overrides.spec },
    status: {
      replicas: count,
      readyReplicas: count,
      availableReplicas: count,
      upToDateReplicas: count,
      versions: [{ version: "v1.34.2", replicas: count }],
      deprecated: {
        v1beta1: { readyReplicas: count, availableReplicas: count - 1, conditions: [READY] },
      },
    },
  });
}

const OLD = { spec: { template: { spec: { version: "v1.33.0" } } } };

async function statusOf(to: World): Promise<MachineDeploymentStatus> {
  return appliedStatus(await decide(machinedeploymentStatus, to));
}

async function conditionsOf(to: World): Promise<{ readonly [type: string]: string }> {
  const { conditions = [] } = await statusOf(to);
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason} ${message}`.trim()]),
  );
}

describe("machinedeployment-status", () => {
  it("waits for the Cluster, and for the finalizer", async () => {
    const bare = machineDeployment({ metadata: { finalizers: undefined } });
    expect(await decide(machinedeploymentStatus, world(machineDeployment()).without(cluster()))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(await decide(machinedeploymentStatus, world(bare))).toEqual({
      result: waitFor("MachineDeployment.metadata.finalizers"),
    });
  });

  it("waits until the sets have been listed, and writes nothing before (MD-12.12)", async () => {
    const known = storeOf(world(machineDeployment()));
    const store: Store = {
      ...known,
      async read(type, asked) {
        const { found, progress } = await known.read(type, asked);
        return { found, progress: { ...progress, ready: type.kind !== "MachineSet" } };
      },
    };
    const read = createReader({ function: machinedeploymentStatus, store, stale: [] } as never);
    const step = machinedeploymentStatus.step(machineDeployment(), { read, now: NOW });
    await expect(step).rejects.toThrow("the list of MachineSet on management is not complete");
  });

  it("sums up its sets, and writes the selector as text", async () => {
    const to = world(machineDeployment(), set("d1-aaaaa", 2), set("d1-bbbbb", 1, OLD));
    expect(await statusOf(to)).toMatchObject({
      selector: "cluster.x-k8s.io/cluster-name=c1,cluster.x-k8s.io/deployment-name=d1",
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      upToDateReplicas: 3,
      versions: [{ version: "v1.34.2", replicas: 3 }],
      phase: "Running",
      observedGeneration: 3,
      deprecated: {
        v1beta1: {
          updatedReplicas: 2,
          readyReplicas: 3,
          availableReplicas: 1,
          unavailableReplicas: 2,
        },
      },
    });
    expect((await decide(machinedeploymentStatus, to)).result).toEqual(done);
  });

  it("has no counter before a set has one, also where it had", async () => {
    const counted = machineDeployment({ status: { replicas: 3, versions: [] } });
    const status = await statusOf(world(counted, setOfDeployment("d1-aaaaa")));
    expect(Object.keys(status)).toEqual([
      "selector",
      "phase",
      "conditions",
      "observedGeneration",
      "deprecated",
    ]);
  });

  it("says of a deployment at rest that all is well", async () => {
    expect(await conditionsOf(world(machineDeployment(), set("d1-aaaaa", 3)))).toEqual({
      Available: "True Available",
      Deleting: "False NotDeleting",
      MachinesReady: "True NoReplicas",
      MachinesUpToDate: "True NoReplicas",
      Paused: "False NotPaused",
      Remediating: "False NotRemediating",
      RollingOut: "False NotRollingOut",
      ScalingDown: "False NotScalingDown",
      ScalingUp: "False NotScalingUp",
    });
  });

  it("asks the Machines that its sets control, and no others that its selector matches", async () => {
    const outdated = { conditions: [machineCondition("UpToDate", "False", "NotUpToDate", "* Version a")] };
    const owner = { ...OWNED_BY_S1, name: "d1-aaaaa", uid: "uid-d1-aaaaa" };
    const own = setMachine("m1", { metadata: { ownerReferences: [owner] }, status: outdated });
    const other = setMachine("m2", { status: outdated });
    const { RollingOut } = await conditionsOf(world(machineDeployment(), set("d1-aaaaa", 3), own, other));
    expect(RollingOut).toBe("True RollingOut Rolling out 1 not up-to-date replicas\n* Version a");
  });

  it("is 5 s apart while Machines are replaced, and otherwise by the settings of its queue", async () => {
    const outdated = { conditions: [machineCondition("UpToDate", "False", "NotUpToDate", "* Version a")] };
    const owner = { ...OWNED_BY_S1, name: "d1-aaaaa", uid: "uid-d1-aaaaa" };
    const old = setMachine("m1", { metadata: { ownerReferences: [owner] }, status: outdated });
    const resting = world(machineDeployment(), set("d1-aaaaa", 3));
    const rolling = world(machineDeployment(), set("d1-aaaaa", 3), old);
    const paces = await Promise.all([resting, rolling].map((to) => decide(machinedeploymentStatus, to)));
    expect(paces.map(({ notBeforeMs }) => notBeforeMs)).toEqual([undefined, 5_000]);
  });

  it("says the same in the words of v1beta1", async () => {
    const { deprecated } = await statusOf(world(machineDeployment(), set("d1-aaaaa", 3)));
    const short = {
      status: "False",
      severity: "Warning",
      reason: "WaitingForAvailableMachines",
      message: "Minimum availability requires 3 replicas, current 3 available",
    };
    expect(deprecated?.v1beta1?.conditions).toMatchObject([
      { type: "Ready", ...short },
      { type: "Available", ...short },
      { type: "MachineSetReady", status: "True" },
    ]);
    const none = await statusOf(world(machineDeployment({ spec: { replicas: 0 } })));
    expect(none.deprecated?.v1beta1?.conditions).toMatchObject([
      { type: "Ready", status: "True" },
      { type: "Available", status: "True" },
      {
        type: "MachineSetReady",
        status: "False",
        severity: "Info",
        reason: "WaitingForMachineSet",
        message: "MachineSet not found",
      },
    ]);
  });

  it("keeps its generation while a set is due, and says so where the template of the set is missing", async () => {
    const seen = machineDeployment({ status: { observedGeneration: 2 } });
    const old = set("d1-bbbbb", 3, OLD);
    expect(await statusOf(world(seen, old))).toMatchObject({ observedGeneration: 2 });
    const paused = machineDeployment({ spec: { paused: true }, status: { observedGeneration: 2 } });
    expect(await statusOf(world(paused, old))).toMatchObject({ observedGeneration: 3 });
    const due = world(seen, set("d1-bbbbb", 1, OLD)).without(infraTemplate());
    const text = "Scaling up from 1 to 3 replicas is blocked because FooMachineTemplate does not exist";
    expect((await conditionsOf(due))["ScalingUp"]).toBe(`True ScalingUp ${text}`);
    expect((await statusOf(due)).observedGeneration).toBe(2);
    const current = world(seen, set("d1-aaaaa", 3)).without(infraTemplate());
    expect(await statusOf(current)).toMatchObject({ observedGeneration: 3 });
    expect((await conditionsOf(current))["ScalingUp"]).toContain("Scaling up would be blocked because");
  });

  it("names the field that admission would have refused, and waits for it", async () => {
    const bad = machineDeployment({ spec: { machineNaming: { template: "m" } } });
    const to = world(bad, set("d1-aaaaa", 1));
    expect((await conditionsOf(to))["ScalingUp"]).toContain(
      "is blocked because spec.machineNaming.template has no {{ .random }}",
    );
    expect((await decide(machinedeploymentStatus, to)).result).toEqual(waitFor("MachineDeployment.spec"));
    const unknown = machineDeployment({
      metadata: {
        annotations: {
          "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size": "x",
          "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size": "3",
        },
      },
      spec: { replicas: undefined },
    });
    expect(await conditionsOf(world(unknown))).toMatchObject({
      Available: "Unknown WaitingForReplicasSet Waiting for spec.replicas set",
      ScalingUp: expect.stringMatching(
        /^Unknown WaitingForReplicasSet Waiting for spec\.replicas set: spec\.replicas is missing and /,
      ),
    });
  });

  it("says how far a deletion is", async () => {
    const going = machineDeployment({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    const decision = await decide(machinedeploymentStatus, world(going, set("d1-aaaaa", 2)));
    expect(decision.result).toEqual(waitFor("MachineSet.metadata.uid"));
    expect(await conditionsOf(world(going, set("d1-aaaaa", 2)))).toMatchObject({
      Available: "False NotAvailable Deletion in progress",
      Deleting: "True Deleting Deleting 1 MachineSets",
      ScalingDown: "True ScalingDown Scaling down from 2 to 0 replicas",
    });
    expect((await conditionsOf(world(going)))["Deleting"]).toBe("True Deleting Deletion completed");
  });

  it("keeps everything while paused but the condition that says so", async () => {
    const paused = machineDeployment({
      metadata: { annotations: { "cluster.x-k8s.io/paused": "" } },
      status: { replicas: 7, phase: "ScalingDown" },
    });
    expect(await statusOf(world(paused, set("d1-aaaaa", 3)))).toMatchObject({
      replicas: 7,
      phase: "ScalingDown",
      conditions: [
        {
          type: "Paused",
          status: "True",
          message: "MachineDeployment has the cluster.x-k8s.io/paused annotation",
        },
      ],
    });
    const rollouts = machineDeployment({ spec: { paused: true } });
    expect((await conditionsOf(world(rollouts, set("d1-aaaaa", 3))))["Paused"]).toBe("False NotPaused");
  });
});

describe("machinedeployment-status, a rollout that stands still", () => {
  const progress = (lastTransitionTime: string) => ({
    conditions: [{ ...machineCondition("ScalingUp", "False", "NotScalingUp"), lastTransitionTime }],
  });
  const made = (creationTimestamp: string, revision: string) => ({
    creationTimestamp,
    annotations: { "machinedeployment.clusters.x-k8s.io/revision": revision },
  });
  const waiting = (since: string) => {
    const old = set("d1-bbbbb", 2, OLD);
    const metadata = { ...old.metadata, ...made(since, "1") };
    const current = setOfDeployment("d1-aaaaa", {
      metadata: made(since, "2"),
      spec: { replicas: 1 },
      status: { replicas: 1, availableReplicas: 0, upToDateReplicas: 1, ...progress(since) },
    });
    return world(machineDeployment({ spec: { replicas: 2 } }), { ...old, metadata }, current);
  };

  it("is announced after ten minutes, with the reason and the next step", async () => {
    const { events } = await decide(machinedeploymentStatus, waiting("2026-01-01T11:50:00Z"));
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "RolloutStandsStill",
        message: expect.stringMatching(
          /^the rollout stands still since 2026-01-01T11:50:00Z: 1 of 1 Machine of MachineSet d1-aaaaa is not available; at least 2 .*; repair what is named, or write the former template: capstan rollout plan default\/d1/,
        ),
      },
    ]);
  });

  it("is looked at again when the ten minutes are over, and not before", async () => {
    const { events, result } = await decide(machinedeploymentStatus, waiting("2026-01-01T11:58:00Z"));
    expect(events).toEqual([]);
    expect(result).toEqual(requeueAfter(480_000, "a rollout stands still"));
  });

  it("is not looked at again where a person holds it", async () => {
    const held = machineDeployment({ spec: { replicas: 2, paused: true } });
    const paused = given(...waiting("2026-01-01T11:58:00Z").snapshots.map(({ object }) => object), held);
    expect((await decide(machinedeploymentStatus, paused)).result).toEqual(done);
  });
});
