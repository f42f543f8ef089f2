import { describe, expect, it } from "vitest";
import { machineDrain } from "../../../functions/machine/drain.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { Pod } from "../../../shared/api/workload.ts";
import type { AnyDecision } from "../../../shared/function/define-function.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { EvictionAnswer } from "../../../shared/function/evictions.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { settle } from "../../../shared/runtime/write/settle.ts";
import {
  cluster,
  connection,
  infraMachine,
  machineCondition,
  node,
  type Overrides,
} from "../../support/builders.ts";
import {
  attachment,
  deletedMachine,
  drainRule,
  namespace,
  ofDaemonSet,
  podOn,
  volume,
} from "../../support/draining.ts";
import { appliedStatus, decide, given, type World } from "../../support/world.ts";

const START = "2026-01-01T11:59:30Z";
const SAID = "2026-01-01T12:00:00Z";
const started: Overrides<Machine> = {
  status: {
    conditions: [machineCondition("Deleting", "True", "DrainingNode", "before")],
    deletion: { nodeDrainStartTime: START },
  },
};
const cordoned = (overrides: Overrides<ReturnType<typeof node>> = {}) =>
  node("n1", { spec: { unschedulable: true }, ...overrides });
/** Without control plane object, so that Node handling is allowed. */
const plain = cluster({ spec: { controlPlaneRef: undefined } });

function world(machine: Machine, ...objects: readonly KubeObject[]): World {
  const isRule = ({ kind }: KubeObject) => kind === "MachineDrainRule";
  const rules = objects.filter(isRule);
  const others = objects.filter((object) => !isRule(object));
  return given(plain, machine, infraMachine("m1"), connection(), ...rules).inWorkload(
    "default/c1",
    ...others,
  );
}

const drained = (machine: Overrides<Machine>, ...objects: readonly KubeObject[]) =>
  decide(machineDrain, world(deletedMachine(machine), cordoned(), namespace("apps"), ...objects));

function deletingOf(decision: AnyDecision) {
  const { conditions = [], deletion } = appliedStatus<NonNullable<Machine["status"]>>(decision);
  const [{ reason = "", message = "" } = {}] = conditions;
  expect(conditions.map(({ type, status }) => [type, status])).toEqual([["Deleting", "True"]]);
  return { reason, message, deletion };
}

const eventsOf = ({ events = [] }: AnyDecision) =>
  events.map(({ reason, message }) => `${reason}: ${message}`);
const evictedFrom = ({ evict }: AnyDecision) => evict?.pods.map(({ target }) => target.name);
const answer = (name: string): EvictionAnswer => ({
  type: "accepted",
  target: refTo(Pod, podOn(name), "default/c1"),
});
const AGAIN = requeueAfter(20_000, "Pods are still on the Node");
const DRAINED = `SuccessfulDrainNode: success draining Machine's node "n1"`;
const DETACHED = `NodeVolumesDetached: success waiting for node volumes detaching Machine's node "n1"`;

describe("machine-drain", () => {
  it("cordons the Node, and lists nothing before that shows", async () => {
    const decision = await decide(machineDrain, world(deletedMachine(), node("n1"), podOn("a")));
    expect(decision).toMatchObject({
      patch: [{ operations: [{ op: "add", path: "/spec/unschedulable", value: true }] }],
      result: waitFor("Node.spec.unschedulable"),
    });
    expect(decision.apply).toBeUndefined();
    expect(decision.patch?.[0]?.target.resourceVersion).toBeUndefined();
  });

  it("cordons and drains the Node under the name by which its kubelet registered again", async () => {
    const renamed = (spec: object) => node("n2", { spec: { providerID: "foo://1", ...spec } });
    const to = (spec: object) =>
      world(
        deletedMachine({ ...started, spec: { providerID: "foo://1" } }),
        renamed(spec),
        namespace("apps"),
      );
    expect((await decide(machineDrain, to({}))).patch?.[0]?.target).toMatchObject({
      name: "n2",
      uid: "uid-n2",
    });
    const pod = podOn("a", { spec: { nodeName: "n2" } });
    const decision = await decide(machineDrain, to({ unschedulable: true }).inWorkload("default/c1", pod));
    expect(evictedFrom(decision)).toEqual(["a"]);
  });

  it("stores the start time before the first eviction", async () => {
    const decision = await drained({}, podOn("a"));
    expect(deletingOf(decision)).toEqual({
      reason: "DrainingNode",
      message: `Drain not completed yet (started at ${SAID}):\n* Pod apps/a: eviction not requested yet`,
      deletion: { nodeDrainStartTime: SAID },
    });
    expect(evictedFrom(decision)).toBeUndefined();
    // Its own write wakes it: nothing must hold that run back.
    expect(decision.notBeforeMs).toBeUndefined();
  });

  it("evicts the Pods of the lowest order, and says by the answers what is left", async () => {
    const late = drainRule("late", {
      drain: { behavior: "Drain", order: 1 },
      pods: [{ selector: { matchLabels: { app: "late" } } }],
    });
    const pods = [podOn("b"), podOn("a"), podOn("c", { metadata: { labels: { app: "late" } } })];
    const decision = await drained(started, late, ...pods);
    expect(evictedFrom(decision)).toEqual(["a", "b"]);
    expect(decision.evict?.pods[0]).toMatchObject({ target: { uid: "uid-a", cluster: "default/c1" } });
    const budget: EvictionAnswer = {
      ...answer("b"),
      type: "refused",
      message: "No.",
      causes: [{ reason: "DisruptionBudget", message: "The disruption budget web needs 1" }],
    };
    const settled = settle(decision, [answer("a"), budget]);
    expect(deletingOf(settled)).toEqual({
      reason: "DrainingNode",
      message: [
        `Drain not completed yet (started at ${START}):`,
        "* Pod apps/a: deletionTimestamp set, but still not removed from the Node",
        "* Pod apps/b: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1",
        "After above Pods have been removed from the Node, the following Pods will be evicted: apps/c",
      ].join("\n"),
      deletion: { nodeDrainStartTime: START },
    });
    expect(settled).toMatchObject({ result: AGAIN, notBeforeMs: 20_000 });
  });

  it("continues with the volumes when the last Pods are gone by their answers, though a server shows them still", async () => {
    const gone: readonly EvictionAnswer[] = [{ ...answer("a"), type: "gone" }];
    const begun = settle(await drained(started, podOn("a")), gone);
    expect(deletingOf(begun)).toMatchObject({
      reason: "WaitingForVolumeDetach",
      deletion: { nodeDrainStartTime: START, waitForNodeVolumeDetachStartTime: SAID },
    });
    expect(eventsOf(begun)).toEqual([DRAINED]);
    // Its own write wakes it.
    expect(begun.notBeforeMs).toBeUndefined();
    const status = appliedStatus<NonNullable<Machine["status"]>>(begun);
    const again = await drained({ status }, podOn("a"));
    expect(evictedFrom(again)).toEqual(["a"]);
    expect(deletingOf(settle(again, gone)).reason).toBe("WaitingForInfrastructureDeletion");
    expect(deletingOf(settle(again, [answer("a")])).reason).toBe("DrainingNode");
  });

  it("waits for those that only have to complete, and evicts none", async () => {
    const waited = podOn("a", { metadata: { labels: { "cluster.x-k8s.io/drain": "wait-completed" } } });
    const decision = await drained(started, waited);
    expect(evictedFrom(decision)).toBeUndefined();
    expect(deletingOf(decision).message).toContain("* Pod apps/a: waiting for completion");
    expect(decision).toMatchObject({ result: AGAIN, notBeforeMs: 20_000 });
  });

  it("gives the Pods of an unreachable Node one second, and forgets those that are going", async () => {
    const unknown = cordoned({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } });
    const going = podOn("b", { metadata: { deletionTimestamp: "2026-01-01T11:50:00Z" } });
    const decision = await decide(
      machineDrain,
      world(deletedMachine(started), unknown, namespace("apps"), podOn("a"), going),
    );
    expect(decision.evict?.pods).toMatchObject([{ target: { name: "a" }, gracePeriodSeconds: 1 }]);
  });

  it.each<[string, Overrides<Machine>]>([
    [
      "a pre-drain hook",
      { metadata: { annotations: { "pre-drain.delete.hook.machine.cluster.x-k8s.io/x": "" } } },
    ],
    [
      "the exclusion",
      { metadata: { annotations: { "machine.cluster.x-k8s.io/exclude-node-draining": "" } } },
    ],
    ["a timeout that is over", { spec: { deletion: { nodeDrainTimeoutSeconds: 10 } } }],
    ["a pause", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }],
    ["the start of a later stage", { status: { deletion: { waitForPreTerminateHookStartTime: START } } }],
  ])("evicts nothing when %s has been set meanwhile", async (_, change) => {
    const stored = deletedMachine(started);
    const changed = deletedMachine({
      ...started,
      ...change,
      status: { ...started.status, deletion: { nodeDrainStartTime: START, ...change.status?.deletion } },
    });
    const scene = world(stored, cordoned(), namespace("apps"), podOn("a"));
    expect(evictedFrom(await decide(machineDrain, scene))).toEqual(["a"]);
    const decision = await decide(machineDrain, scene.live(changed));
    expect(evictedFrom(decision)).toBeUndefined();
    expect(decision.apply).toBeUndefined();
  });

  it("passes the turn on when the Node is empty: both start times, one Event for each part", async () => {
    const decision = await drained({}, podOn("logs", ofDaemonSet("logs")), {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "logs", namespace: "apps" },
    });
    expect(deletingOf(decision)).toEqual({
      reason: "WaitingForInfrastructureDeletion",
      message: "Waiting for FooMachine to be deleted",
      deletion: { nodeDrainStartTime: SAID, waitForNodeVolumeDetachStartTime: SAID },
    });
    expect(eventsOf(decision)).toEqual([DRAINED, DETACHED]);
    expect(decision.result).toEqual(done);
  });

  it("leaves the next stage to pre-terminate hooks that are there", async () => {
    const annotations = { "pre-terminate.delete.hook.machine.cluster.x-k8s.io/lb": "" };
    expect(deletingOf(await drained({ metadata: { annotations } }))).toMatchObject({
      reason: "WaitingForPreTerminateHook",
    });
  });

  it("writes nothing while it would say what the Machine says already", async () => {
    const first = await drained(
      started,
      podOn("a", { metadata: { deletionTimestamp: "2026-01-01T11:59:50Z" } }),
    );
    const status = appliedStatus<NonNullable<Machine["status"]>>(first);
    const again = await drained(
      { status },
      podOn("a", { metadata: { deletionTimestamp: "2026-01-01T11:59:50Z" } }),
    );
    expect(again.apply).toBeUndefined();
    expect(again.result).toEqual(AGAIN);
  });

  it.each<[string, Overrides<Machine>]>([
    ["it is not deleted", { metadata: { deletionTimestamp: undefined } }],
    ["it is paused", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }],
    [
      "a pre-drain hook is there",
      { metadata: { annotations: { "pre-drain.delete.hook.machine.cluster.x-k8s.io": "" } } },
    ],
    ["it has no Node", { status: { nodeRef: undefined } }],
    [
      "a later stage has been reached",
      { status: { conditions: [machineCondition("Deleting", "True", "WaitingForPreTerminateHook")] } },
    ],
  ])("does nothing when %s", async (_, machine) => {
    const { patch, evict, apply } = await drained(machine, podOn("a"));
    expect([patch, evict, apply]).toEqual([undefined, undefined, undefined]);
  });

  it("does nothing once the infrastructure machine goes, or the Cluster", async () => {
    const going = { metadata: { deletionTimestamp: START } };
    for (const objects of [
      [plain, infraMachine("m1", going)],
      [cluster({ ...going, spec: { controlPlaneRef: undefined } }), infraMachine("m1")],
    ]) {
      const scene = given(...objects, deletedMachine(), connection()).inWorkload("default/c1", node("n1"));
      expect(await decide(machineDrain, scene)).toEqual({ result: done });
    }
  });
});

describe("machine-drain whose Pods cannot be judged", () => {
  const blocked = (decision: AnyDecision) => [deletingOf(decision).message, ...eventsOf(decision)];

  it("names the rule, one Event for it, and evicts nothing", async () => {
    const selector = { matchExpressions: [{ key: "a", operator: "Near" }] };
    const rule = drainRule("r", { drain: { behavior: "Skip" }, pods: [{ selector }] });
    const decision = await drained(started, rule, podOn("a"));
    const [message = "", event] = blocked(decision);
    expect(message).toMatch(/^Error draining Node, MachineDrainRule default\/r: spec\.pods\[0\]\.selector/);
    expect(event).toBe(
      `FailedDrainNode: ${message.replace("Error draining Node,", `error draining Machine's node "n1":`)}`,
    );
    expect(decision).toMatchObject({ result: AGAIN, notBeforeMs: 20_000 });
    expect(evictedFrom(decision)).toBeUndefined();
    const status = appliedStatus<NonNullable<Machine["status"]>>(decision);
    expect(eventsOf(await drained({ status }, rule, podOn("a")))).toEqual([]);
  });

  it("names the Pod of a Namespace that is gone", async () => {
    const lost = podOn("a", { metadata: { namespace: "lost" } });
    expect(blocked(await drained(started, lost))[0]).toBe(
      "Error draining Node, Pod lost/a is in a Namespace that does not exist; delete the Pod",
    );
  });

  it("says what the workload server answers to a list", async () => {
    const refusal = new KubeError({
      class: "Transient",
      status: 403,
      reason: "Forbidden",
      message: "list pods: no",
    });
    const scene = world(deletedMachine(started), cordoned(), podOn("a")).refusing("default/c1", refusal);
    expect(blocked(await decide(machineDrain, scene))[0]).toBe("Error draining Node, list pods: no");
  });
});

describe("machine-drain and its timers", () => {
  it("comes back when the timeout is over, if that is sooner", async () => {
    const decision = await drained(
      { ...started, spec: { deletion: { nodeDrainTimeoutSeconds: 35 } } },
      podOn("a"),
    );
    expect(settle(decision, [answer("a")])).toMatchObject({
      result: requeueAfter(5_000, "Pods are still on the Node"),
      notBeforeMs: 5_000,
    });
  });

  it("turns to the volumes when the timeout is over, without an Event that it did", async () => {
    const decision = await drained(
      { ...started, spec: { deletion: { nodeDrainTimeoutSeconds: 30 } } },
      podOn("a"),
    );
    expect(deletingOf(decision).reason).toBe("WaitingForInfrastructureDeletion");
    expect(eventsOf(decision)).toEqual([DETACHED]);
  });

  it("neither cordons nor drains what is excluded", async () => {
    const annotations = {
      "machine.cluster.x-k8s.io/exclude-node-draining": "",
      "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach": "",
    };
    const scene = world(
      deletedMachine({ metadata: { annotations } }),
      node("n1"),
      podOn("a"),
      attachment("x"),
    );
    const decision = await decide(machineDrain, scene);
    expect(deletingOf(decision)).toMatchObject({
      reason: "WaitingForInfrastructureDeletion",
      deletion: undefined,
    });
    expect([decision.patch, eventsOf(decision)]).toEqual([undefined, []]);
  });

  it("waits for the connection, names what is missing, and counts the time", async () => {
    const lost = connection({
      status: { state: "unknown", message: "Secret default/c1-kubeconfig does not exist" },
    });
    const scene = (overrides: Overrides<Machine> = {}) =>
      given(plain, deletedMachine(overrides), infraMachine("m1"), lost).inWorkload("default/c1", node("n1"));
    const decision = await decide(machineDrain, scene());
    expect(deletingOf(decision)).toEqual({
      reason: "DrainingNode",
      message:
        "Waiting for the connection to the workload cluster to drain the Node: Secret default/c1-kubeconfig does not exist",
      deletion: { nodeDrainStartTime: SAID },
    });
    expect(decision.result).toEqual(waitFor("Connection.status.state"));
    const timed = {
      ...started,
      spec: { deletion: { nodeDrainTimeoutSeconds: 40, nodeVolumeDetachTimeoutSeconds: 5 } },
    };
    expect((await decide(machineDrain, scene(timed))).result).toMatchObject({ afterMs: 10_000 });
    const later = await decide(machineDrain, scene(timed), undefined, new Date("2026-01-01T12:01:00Z"));
    expect(deletingOf(later)).toMatchObject({
      reason: "WaitingForVolumeDetach",
      deletion: { nodeDrainStartTime: START, waitForNodeVolumeDetachStartTime: "2026-01-01T12:01:00Z" },
    });
    expect(later.result).toMatchObject({ afterMs: 5_000 });
  });

  it("is done with a Node that is gone, which only the server can say", async () => {
    const scene = world(deletedMachine(started));
    const decision = await decide(machineDrain, scene);
    expect(deletingOf(decision).reason).toBe("WaitingForInfrastructureDeletion");
    expect(eventsOf(decision)).toEqual([]);
    const late = scene.live(node("n1"), "default/c1");
    expect((await decide(machineDrain, late)).patch).toHaveLength(1);
  });

  it("leaves the Node of a new instance alone that has taken the name", async () => {
    const other = node("n1", { spec: { providerID: "foo://9" } });
    const decision = await decide(machineDrain, world(deletedMachine(), other, podOn("a")));
    expect(decision.patch).toBeUndefined();
    expect(deletingOf(decision).reason).toBe("WaitingForInfrastructureDeletion");
  });
});

describe("machine-drain and volumes", () => {
  const held = (...objects: readonly KubeObject[]) =>
    drained({}, attachment("a1", "v1"), volume("v1", "data"), ...objects);

  it("waits until they are detached, and says whose they are", async () => {
    const decision = await held();
    expect(deletingOf(decision)).toEqual({
      reason: "WaitingForVolumeDetach",
      message: `Waiting for Node volumes to be detached (started at ${SAID})\n* PersistentVolumeClaims: apps/data`,
      deletion: { nodeDrainStartTime: SAID, waitForNodeVolumeDetachStartTime: SAID },
    });
    expect(eventsOf(decision)).toEqual([DRAINED]);
    expect(decision).toMatchObject({ result: { afterMs: 20_000 }, notBeforeMs: 20_000 });
    const status = appliedStatus<NonNullable<Machine["status"]>>(decision);
    const after = await drained({ status });
    expect(eventsOf(after)).toEqual([DETACHED]);
    expect(deletingOf(after).reason).toBe("WaitingForInfrastructureDeletion");
  });

  it("looks at what the Node itself lists, which no snapshot holds", async () => {
    const attached = cordoned({ status: { volumesAttached: [{ name: "kubernetes.io/csi/csi.dev^h-v1" }] } });
    const scene = world(deletedMachine(), attached, volume("v1", "data"));
    expect(deletingOf(await decide(machineDrain, scene)).message).toContain(
      "* PersistentVolumeClaims: apps/data",
    );
  });

  it("lets volumes of Pods that stay be", async () => {
    const volumes = [{ name: "d", persistentVolumeClaim: { claimName: "data" } }];
    const stays = podOn("s", {
      metadata: { labels: { "cluster.x-k8s.io/drain": "skip" } },
      spec: { volumes },
    });
    expect(deletingOf(await held(stays)).reason).toBe("WaitingForInfrastructureDeletion");
  });

  it.each<[string, Overrides<Machine>]>([
    [
      "the annotation",
      { metadata: { annotations: { "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach": "" } } },
    ],
    [
      "the timeout",
      {
        spec: { deletion: { nodeVolumeDetachTimeoutSeconds: 10 } },
        status: { deletion: { nodeDrainStartTime: START, waitForNodeVolumeDetachStartTime: START } },
      },
    ],
  ])("are given up by %s, without an Event that they were detached", async (_, machine) => {
    const decision = await drained(machine, attachment("a1", "v1"), volume("v1", "data"));
    expect(deletingOf(decision).reason).toBe("WaitingForInfrastructureDeletion");
    expect(eventsOf(decision)).toEqual([DRAINED]);
  });

  it("are not awaited on a Node that does not answer", async () => {
    const unknown = cordoned({ status: { conditions: [{ type: "Ready", status: "Unknown" }] } });
    const decision = await decide(machineDrain, world(deletedMachine(), unknown, attachment("a1", "v1")));
    expect(deletingOf(decision).reason).toBe("WaitingForInfrastructureDeletion");
    expect(eventsOf(decision)).toEqual([DRAINED]);
  });

  it("that cannot be listed hold the Machine, with the server's words", async () => {
    const annotations = { "machine.cluster.x-k8s.io/exclude-node-draining": "" };
    const refusal = new KubeError({
      class: "Transient",
      status: 403,
      reason: "Forbidden",
      message: "get Node /n1: no",
    });
    const scene = world(deletedMachine({ metadata: { annotations } }), node("n1")).refusing(
      "default/c1",
      refusal,
    );
    const decision = await decide(machineDrain, scene);
    expect(deletingOf(decision)).toMatchObject({
      reason: "WaitingForVolumeDetach",
      message: "Error waiting for volumes to be detached from Node, get Node /n1: no",
    });
    expect(eventsOf(decision)).toEqual([
      `FailedWaitForVolumeDetach: error waiting for node volumes detaching, Machine's node "n1": get Node /n1: no`,
    ]);
  });
});
