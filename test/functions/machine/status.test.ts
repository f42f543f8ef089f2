import { describe, expect, it } from "vitest";
import { machineStatus } from "../../../functions/machine/status.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine, MachineStatus } from "../../../shared/api/machine/machine.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { condition, setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { connection, machine, machineCondition, merge, type Overrides } from "../../support/builders.ts";
import { machineSet, OWNED_BY_S1 } from "../../support/foo-sets.ts";
import { healthyNode } from "../../support/machine-view.ts";
import { machineConfig, ownInfraMachine, soloMachine, startedCluster } from "../../support/machines.ts";
import { appliedStatus, decide, given, NOW } from "../../support/world.ts";

/** Everything is ready; `objects` replace or join what is there. */
function world(...objects: readonly KubeObject[]) {
  return given(
    startedCluster(),
    connection(),
    soloMachine(),
    machineConfig(),
    ownInfraMachine(),
    ...objects,
  ).inWorkload("default/c1", healthyNode());
}

async function statusOf(from: ReturnType<typeof given>, now = NOW): Promise<MachineStatus> {
  return appliedStatus(await decide(machineStatus, from, "m1", now));
}

/** The Machine as the next run sees it after a status of a ready world was written. */
async function running(overrides: Overrides<Machine> = {}): Promise<Machine> {
  const status = JSON.parse(JSON.stringify(await statusOf(world()))) as MachineStatus;
  return merge<Machine>(soloMachine({ status }), overrides);
}

function words({ conditions = [] }: MachineStatus) {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };

describe("machine-status", () => {
  it("says Running with Node, latches, times and all conditions, and reports the Node by an Event", async () => {
    const decision = await decide(machineStatus, world());
    const status = appliedStatus<MachineStatus>(decision);
    expect(status).toMatchObject({
      phase: "Running",
      lastUpdated: "2026-01-01T12:00:00Z",
      observedGeneration: 2,
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      nodeRef: { name: "n1" },
      nodeInfo: { kubeletVersion: "v1.34.2", architecture: "" },
    });
    expect(words(status)).toEqual({
      Available: "True Available",
      BootstrapConfigReady: "True Ready",
      Deleting: "False NotDeleting",
      InfrastructureReady: "True Ready",
      NodeHealthy: "True NodeHealthy",
      NodeReady: "True NodeReady",
      Paused: "False NotPaused",
      Ready: "True Ready",
      UpToDate: "True UpToDate",
      Updating: "False NotUpdating",
    });
    expect(decision.events).toEqual([{ type: "Normal", reason: "SuccessfulSetNodeRef", message: "n1" }]);
    expect(decision).toMatchObject({ result: done });
    expect(decision.notBeforeMs).toBeUndefined();
  });

  it("has nothing to say a second time, also an hour later", async () => {
    const machineNow = await running();
    const later = new Date(NOW.getTime() + 3_600_000);
    const decision = await decide(machineStatus, world(machineNow), "m1", later);
    expect(decision.apply?.["status"]).toEqual(machineNow.status);
    expect(decision).toMatchObject({ events: [], result: done });
  });

  it("leaves conditions and deprecated conditions of others and the drain's times as they are, and applies nothing for them", async () => {
    const others = {
      conditions: setConditions(
        [],
        [condition("HealthCheckSucceeded", "True", "Fine"), condition("OwnerRemediated", "False", "X")],
        NOW,
        1,
      ),
    };
    const stored = (await running()).status;
    const older = [
      { type: "EtcdMemberHealthy", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z" },
      ...(stored?.deprecated?.v1beta1?.conditions ?? []),
    ];
    const status = {
      ...stored,
      conditions: [...(stored?.conditions ?? []), ...others.conditions],
      deletion: { nodeDrainStartTime: "2026-01-01T11:00:00Z" },
      deprecated: { v1beta1: { conditions: older } },
    };
    expect((await decide(machineStatus, world(soloMachine({ status })))).apply).toBeUndefined();
    const changed = soloMachine({ status: { ...status, phase: "Pending" } });
    const applied = await statusOf(world(changed));
    expect(Object.keys(words(applied))).not.toContain("OwnerRemediated");
    expect([applied.deletion, applied.deprecated]).toEqual([undefined, { v1beta1: { conditions: older } }]);
  });

  it("says of a Machine of a set that the template has changed since", async () => {
    const of = soloMachine({ metadata: { ownerReferences: [OWNED_BY_S1] } });
    const set = (version: string) => machineSet({ spec: { template: { spec: { version } } } });
    expect(words(await statusOf(world(of, set("v1.34.2"))))["UpToDate"]).toBe("True UpToDate");
    expect(words(await statusOf(world(of, set("v1.35.0"))))["UpToDate"]).toBe("False NotUpToDate");
  });

  it("restores a list that a merge patch of another client has wiped", async () => {
    const wiped = await running({ status: { conditions: [] } });
    expect(Object.keys(words(await statusOf(world(wiped))))).toHaveLength(10);
  });

  it("carries latches, nodeRef, addresses and failures on when no source has them any more", async () => {
    const addresses = [{ type: "InternalIP", address: "10.0.0.1" }] as const;
    const kept = {
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      nodeRef: { name: "n0" },
      addresses,
      failureDomain: "az-1",
      deprecated: { v1beta1: { failureReason: "Old", failureMessage: "It failed once" } },
    };
    const silent = given(
      startedCluster(),
      soloMachine({ status: kept }),
      machineConfig({ status: {} }),
      ownInfraMachine({ status: {} }),
    );
    expect(await statusOf(silent)).toMatchObject(kept);
  });

  it("says only Paused while paused, deleted or not, and keeps its own values", async () => {
    const before = await running();
    const paused = startedCluster({ spec: { paused: true } });
    for (const change of [{}, GOING]) {
      const decision = await decide(machineStatus, world(paused, merge<Machine>(before, change)));
      const status = appliedStatus<MachineStatus>(decision);
      expect(words(status)).toEqual({ ...words(before.status ?? {}), Paused: "True Paused" });
      expect({ ...status, conditions: [] }).toEqual({ ...before.status, conditions: [] });
      expect(decision.result).toEqual(waitFor("Cluster.spec.paused"));
    }
  });

  it.each([
    ["the Cluster", [soloMachine()], "Cluster.metadata.uid"],
    ["the finalizer of a pool's Machine", [startedCluster(), machine("m1")], "Machine.metadata.finalizers"],
  ])("waits for %s", async (_, objects, what) => {
    expect(await decide(machineStatus, given(...objects), "m1")).toEqual({ result: waitFor(what) });
  });

  it("of a young Machine waits for the writes of its siblings, and speaks after 60 s", async () => {
    const young = { creationTimestamp: "2026-01-01T11:59:30Z" };
    const free = machineConfig({ metadata: { ownerReferences: undefined } });
    const unsynced = soloMachine({ metadata: young, spec: { providerID: undefined } });
    for (const objects of [[soloMachine({ metadata: young }), free], [unsynced]]) {
      const decision = await decide(machineStatus, world(...objects));
      expect(decision.apply).toBeUndefined();
      expect(decision.result).toMatchObject({ type: "requeue", afterMs: 30_000 });
    }
    const old = await statusOf(world(soloMachine({ spec: { providerID: undefined } })));
    expect(old).toMatchObject({ phase: "Provisioning" });
    expect(old.observedGeneration).toBeUndefined();
    expect(old.initialization).toEqual({ bootstrapDataSecretCreated: true });
  });

  it("waits for minReadySeconds, then is Available", async () => {
    const slow = await running({ spec: { minReadySeconds: 60 } });
    const decision = await decide(machineStatus, world(slow));
    expect(words(appliedStatus(decision))).toMatchObject({ Available: "False WaitingForMinReadySeconds" });
    expect(decision.result).toEqual(requeueAfter(60_000, "minReadySeconds of the Machine"));
    const later = new Date(NOW.getTime() + 60_000);
    expect(words(await statusOf(world(slow), later))).toMatchObject({ Available: "True Available" });
  });

  it("brands a Machine that lost its infrastructure only after the API server has said so", async () => {
    const lost = world(await running()).without(ownInfraMachine());
    expect((await statusOf(lost)).deprecated?.v1beta1).toMatchObject({
      failureReason: "InvalidConfiguration",
      failureMessage:
        "Machine infrastructure resource FooMachine default/m1 has been deleted after provisioning was completed",
    });
    expect(words(await statusOf(lost))).toMatchObject({
      InfrastructureReady: "False ObjectDeleted",
      Ready: "False NotReady",
    });
    const still = lost.live(ownInfraMachine());
    expect((await statusOf(still)).deprecated?.v1beta1?.failureReason).toBeUndefined();
  });

  it("sets the Node of a Machine that is deleted before it had its provider ID", async () => {
    const early = soloMachine({ ...GOING, spec: { providerID: undefined } });
    expect((await statusOf(world(early))).nodeRef).toEqual({ name: "n1" });
  });

  it("says the stage of a deletion, with hooks and their start time, at most every 5 s", async () => {
    const hooked = await running({
      metadata: {
        ...GOING.metadata,
        annotations: { "pre-drain.delete.hook.machine.cluster.x-k8s.io/a": "" },
      },
    });
    const plane = machine("cp", {
      metadata: { labels: { "cluster.x-k8s.io/control-plane": "", "cluster.x-k8s.io/cluster-name": "c1" } },
    });
    const decision = await decide(machineStatus, world(hooked, plane), "m1");
    const status = appliedStatus<MachineStatus>(decision);
    expect(words(status)).toMatchObject({ Deleting: "True WaitingForPreDrainHook", Ready: "False NotReady" });
    expect(status).toMatchObject({
      phase: "Deleting",
      deletion: { waitForPreDrainHookStartTime: "2026-01-01T12:00:00Z" },
    });
    expect(decision.notBeforeMs).toBe(30_000);
    const since = { waitForPreDrainHookStartTime: "2026-01-01T11:30:00Z" };
    const later = merge<Machine>(hooked, { status: { deletion: since } });
    expect((await statusOf(world(later, plane))).deletion).toEqual(since);
  });

  it("leaves Deleting to the drain in its turn, once the drain has said something", async () => {
    const plane = machine("cp", {
      metadata: { labels: { "cluster.x-k8s.io/control-plane": "", "cluster.x-k8s.io/cluster-name": "c1" } },
    });
    const begun = await running(GOING);
    expect(words(await statusOf(world(begun, plane)))).toMatchObject({ Deleting: "True Deleting" });
    const justNow = await running({ metadata: { deletionTimestamp: "2026-01-01T11:59:59Z" } });
    expect(await decide(machineStatus, world(justNow, plane), "m1")).toEqual({
      result: requeueAfter(4_000, "the drain speaks first"),
    });
    const draining = machineCondition("Deleting", "True", "DrainingNode", "Drain not completed yet");
    const conditions = [
      ...(begun.status?.conditions ?? []).filter(({ type }) => type !== "Deleting"),
      draining,
    ];
    const drained = merge<Machine>(begun, { status: { conditions } });
    const status = await statusOf(world(drained, plane));
    expect(Object.keys(words(status))).not.toContain("Deleting");
    expect(status.conditions?.find(({ type }) => type === "Ready")?.message).toContain("stage: DrainingNode");
  });
});
