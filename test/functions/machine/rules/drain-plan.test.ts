import { describe, expect, it } from "vitest";
import {
  type DrainFacts,
  drainPlan,
  isEmpty,
  podName,
} from "../../../../functions/machine/rules/drain-plan.ts";
import { isBlocked, rulesOf } from "../../../../functions/machine/rules/drain-rules.ts";
import type { Pod } from "../../../../shared/api/workload.ts";
import {
  daemonSet,
  deletedMachine,
  drainRule,
  namespace,
  ofDaemonSet,
  podOn,
} from "../../../support/draining.ts";
import { NOW } from "../../../support/world.ts";

const machine = deletedMachine();
const byLabel = (app: string) => [{ selector: { matchLabels: { app } } }];
const app = (name: string) => ({ metadata: { labels: { app: name } } });
const compiled = rulesOf(
  [
    drainRule("early", { drain: { behavior: "Drain", order: -1 }, pods: byLabel("early") }),
    drainRule("late", { drain: { behavior: "Drain", order: 5 }, pods: byLabel("late") }),
    drainRule("skip", { drain: { behavior: "Skip" }, pods: byLabel("skip") }),
    drainRule("wait", { drain: { behavior: "WaitCompleted" }, pods: byLabel("wait") }),
  ],
  { machine, cluster: undefined },
);
if (isBlocked(compiled)) throw new Error(compiled.problem);
const rules = compiled;

function plan(pods: readonly Pod[], facts: Partial<DrainFacts> = {}) {
  return drainPlan({
    pods,
    daemonSets: [daemonSet("logs")],
    namespaces: [namespace("apps")],
    rules,
    unreachable: false,
    now: NOW,
    ...facts,
  });
}

/** Names by list, without the empty lists. */
function listsOf(pods: readonly Pod[], facts: Partial<DrainFacts> = {}): object {
  const found = plan(pods, facts);
  if (isBlocked(found)) throw new Error(found.problem);
  const lists = Object.entries(found as object as { readonly [list: string]: readonly Pod[] })
    .filter(([, listed]) => listed.length > 0)
    .map(([list, listed]) => [list, listed.map((pod) => podName(pod).replace("apps/", ""))]);
  return Object.fromEntries(lists);
}

const deletedAt = (deletionTimestamp: string) => ({ metadata: { deletionTimestamp } });

describe("the Pods of a Node that is drained", () => {
  it.each<[string, Pod, string, Partial<DrainFacts>?]>([
    ["without controller leave", podOn("p"), "evictNow"],
    ["of a DaemonSet stay", podOn("p", ofDaemonSet("logs")), "skipped"],
    ["of a DaemonSet that is gone leave", podOn("p", ofDaemonSet("gone")), "evictNow"],
    [
      "of a DaemonSet that have ended leave",
      podOn("p", { ...ofDaemonSet("logs"), status: { phase: "Failed" } }),
      "evictNow",
    ],
    [
      "of a file of the kubelet stay",
      podOn("p", { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } }),
      "skipped",
    ],
    [
      "with the label skip stay",
      podOn("p", { metadata: { labels: { "cluster.x-k8s.io/drain": "Skip" } } }),
      "skipped",
    ],
    [
      "with the label wait-completed are waited for",
      podOn("p", { metadata: { labels: { "cluster.x-k8s.io/drain": "Wait-Completed" } } }),
      "waitNow",
    ],
    [
      "with the label waitcompleted are waited for",
      podOn("p", { metadata: { labels: { "cluster.x-k8s.io/drain": "waitCompleted" } } }),
      "waitNow",
    ],
    [
      "with another value of the label leave",
      podOn("p", { metadata: { labels: { "cluster.x-k8s.io/drain": "later" } } }),
      "evictNow",
    ],
    [
      "with a label and a rule follow the label",
      podOn("p", { metadata: { labels: { app: "wait", "cluster.x-k8s.io/drain": "skip" } } }),
      "skipped",
    ],
    ["with a rule follow it: Skip", podOn("p", app("skip")), "skipped"],
    ["with a rule follow it: WaitCompleted", podOn("p", app("wait")), "waitNow"],
    ["that have ended leave too", podOn("p", { status: { phase: "Succeeded" } }), "evictNow"],
    ["being deleted count until they are gone", podOn("p", deletedAt("2026-01-01T11:00:00Z")), "deleting"],
    [
      "being deleted on an unreachable Node do not count",
      podOn("p", deletedAt("2026-01-01T11:59:58Z")),
      "skipped",
      { unreachable: true },
    ],
    [
      "deleted just now on an unreachable Node count",
      podOn("p", deletedAt("2026-01-01T11:59:59Z")),
      "deleting",
      { unreachable: true },
    ],
  ])("%s", (_, pod, list, facts) => {
    expect(listsOf([pod], facts)).toEqual({ [list]: ["p"] });
  });

  it("leave by order, the lowest first; those that go count for their order", () => {
    const pods = [
      podOn("z"),
      podOn("l", app("late")),
      podOn("e", app("early")),
      podOn("w", app("wait")),
      podOn("a"),
    ];
    expect(listsOf(pods)).toEqual({ evictNow: ["e"], evictLater: ["a", "l", "z"], waitLater: ["w"] });
    expect(listsOf(pods.filter(({ metadata }) => metadata.name !== "e"))).toEqual({
      evictNow: ["a", "z"],
      evictLater: ["l"],
      waitNow: ["w"],
    });
    const going = podOn("e", {
      metadata: { ...app("early").metadata, ...deletedAt("2026-01-01T11:00:00Z").metadata },
    });
    expect(listsOf([podOn("a"), going])).toEqual({ deleting: ["e"], evictLater: ["a"] });
  });

  it("that stay keep a Node from nothing", () => {
    const found = plan([podOn("p", ofDaemonSet("logs"))]);
    expect(!isBlocked(found) && isEmpty(found)).toBe(true);
    const left = plan([podOn("p", app("wait"))]);
    expect(!isBlocked(left) && isEmpty(left)).toBe(false);
  });

  it("in a Namespace that does not exist block the drain, unless they stay anyway", () => {
    expect(plan([podOn("p")], { namespaces: [] })).toEqual({
      problem: "Pod apps/p is in a Namespace that does not exist; delete the Pod",
    });
    expect(listsOf([podOn("p", ofDaemonSet("logs"))], { namespaces: [] })).toEqual({ skipped: ["p"] });
  });

  it("take milliseconds each, however many there are", () => {
    const pods = Array.from({ length: 10_000 }, (_, at) => podOn(`p${at}`, app("none")));
    const found = plan(pods);
    expect(isBlocked(found) ? found : found.evictNow).toHaveLength(10_000);
  });
});
