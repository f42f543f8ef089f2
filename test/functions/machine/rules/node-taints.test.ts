import { describe, expect, it } from "vitest";
import { nodeTaints, TAINTS_TRACKER } from "../../../../functions/machine/rules/node-taints.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { node } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";

type Taints = NonNullable<Machine["spec"]["taints"]>;

function taint(key: string, propagation: Taints[number]["propagation"] = "Always"): Taints[number] {
  return { key, effect: "NoSchedule", propagation };
}

function judge(
  taints: Taints,
  {
    tracker,
    labels,
    isOutdated = false,
  }: {
    readonly tracker?: string;
    readonly labels?: { readonly [key: string]: string };
    readonly isOutdated?: boolean;
  } = {},
) {
  const machine = soloMachine({
    spec: { taints },
    ...(labels === undefined ? {} : { metadata: { labels } }),
  });
  const annotations = tracker === undefined ? undefined : { [TAINTS_TRACKER]: tracker };
  return nodeTaints(machine, node("n1", { metadata: { annotations } }), isOutdated);
}

describe("taints of a Machine's Node", () => {
  it("of the propagation OnInitialization are set once: while the Node has no tracker", () => {
    const taints = [taint("a"), taint("b", "OnInitialization")];
    expect(judge(taints).set.map(({ key }) => key)).toEqual(["a", "b"]);
    expect(judge(taints, { tracker: "a:NoSchedule" }).set.map(({ key }) => key)).toEqual(["a"]);
    expect(judge(taints, { tracker: "" }).set.map(({ key }) => key)).toEqual(["a"]);
    expect(judge(taints).tracker).toBe("a:NoSchedule");
  });

  it("that left the Machine leave the Node; one that became OnInitialization stays and is no longer tracked", () => {
    const { isGone, tracker } = judge([taint("b", "OnInitialization")], {
      tracker: "a:NoSchedule,b:NoSchedule",
    });
    expect([taint("a"), taint("b"), taint("c")].map(isGone)).toEqual([true, false, false]);
    expect(isGone({ key: "a", effect: "NoExecute" })).toBe(false);
    expect(tracker).toBe("");
  });

  it.each([
    ["node.cluster.x-k8s.io/uninitialized", false],
    ["node.cluster.x-k8s.io/outdated-revision", false],
    ["node-role.kubernetes.io/master", false],
    ["node.cloudprovider.kubernetes.io/uninitialized", false],
    ["node.kubernetes.io/unschedulable", false],
    ["node.kubernetes.io/out-of-service", true],
    ["node-role.kubernetes.io/control-plane", false],
    ["example.com/gpu", true],
  ])("with key %s are set on a worker: %s", (key, isSet) => {
    const { set, refused, tracker } = judge([taint(key)]);
    expect(set.length).toBe(isSet ? 1 : 0);
    expect(refused).toEqual(isSet ? [] : [`${key}:NoSchedule`]);
    expect(tracker).toBe(isSet ? `${key}:NoSchedule` : "");
  });

  it("may keep Pods off a control plane Node", () => {
    const labels = { "cluster.x-k8s.io/control-plane": "" };
    expect(judge([taint("node-role.kubernetes.io/control-plane")], { labels }).set).toHaveLength(1);
  });

  it("open the Node for Pods, and mark one of an outdated revision until it is not", () => {
    const uninitialized = { key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" } as const;
    const outdated = { key: "node.cluster.x-k8s.io/outdated-revision", effect: "PreferNoSchedule" } as const;
    expect(judge([]).isGone(uninitialized)).toBe(true);
    expect(judge([]).isGone(outdated)).toBe(true);
    expect(judge([], { isOutdated: true }).isGone(outdated)).toBe(false);
    expect(judge([], { isOutdated: true }).set).toEqual([outdated]);
  });

  it("that are reserved are never removed, even when a tracker names them", () => {
    const { isGone } = judge([], { tracker: "node.kubernetes.io/unschedulable:NoSchedule" });
    expect(isGone({ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" })).toBe(false);
  });
});
