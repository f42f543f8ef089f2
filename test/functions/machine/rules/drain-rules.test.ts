import { describe, expect, it } from "vitest";
import { isBlocked, rulesOf } from "../../../../functions/machine/rules/drain-rules.ts";
import type { MachineDrainRule } from "../../../../shared/api/machine/machine-drain-rule.ts";
import { cluster } from "../../../support/builders.ts";
import { deletedMachine, drainRule, namespace, podOn } from "../../../support/draining.ts";

const owner = cluster({ metadata: { labels: { stage: "prod" } } });
const machine = deletedMachine({ metadata: { labels: { os: "linux" } } });
const skip = { behavior: "Skip" } as const;

/** Behaviour that these rules give to Pod apps/p with label app=a; the Namespace has team=x. */
function judged(...rules: readonly MachineDrainRule[]): unknown {
  const compiled = rulesOf(rules, { machine, cluster: owner });
  if (isBlocked(compiled)) return compiled.problem;
  const pod = podOn("p", { metadata: { labels: { app: "a" } } });
  const found = compiled.behaviourOf(pod, namespace("apps", { team: "x" }));
  return found === undefined ? "none" : isBlocked(found) ? found.problem : found;
}

const label = (key: string, value: string) => ({ matchLabels: { [key]: value } });

describe("MachineDrainRules", () => {
  it("without entries are for all Machines and Pods, and the first by name decides", () => {
    const first = drainRule("a", { drain: { behavior: "Drain", order: 7 } });
    expect(judged(drainRule("b", { drain: skip }), first)).toEqual({ type: "evict", order: 7 });
    expect(judged(drainRule("b", { drain: skip }))).toEqual({ type: "skip" });
    expect(judged(drainRule("c", { drain: { behavior: "WaitCompleted" } }))).toEqual({
      type: "wait",
      order: 0,
    });
    expect(judged(drainRule("d", { drain: { behavior: "Drain" } }))).toEqual({ type: "evict", order: 0 });
    expect(judged()).toBe("none");
  });

  it.each<[string, Partial<MachineDrainRule["spec"]>, boolean]>([
    ["Machines by label", { machines: [{ selector: label("os", "linux") }] }, true],
    ["other Machines", { machines: [{ selector: label("os", "windows") }] }, false],
    ["Clusters", { machines: [{ clusterSelector: label("stage", "prod") }] }, true],
    [
      "Machines and Clusters",
      { machines: [{ selector: label("os", "linux"), clusterSelector: label("stage", "x") }] },
      false,
    ],
    [
      "one of two entries",
      { machines: [{ selector: label("os", "x") }, { clusterSelector: label("stage", "prod") }] },
      true,
    ],
    ["Pods", { pods: [{ selector: label("app", "a") }] }, true],
    [
      "Pods of Namespaces",
      { pods: [{ selector: label("app", "a"), namespaceSelector: label("team", "y") }] },
      false,
    ],
    ["Namespaces", { pods: [{ namespaceSelector: label("team", "x") }] }, true],
    [
      "Machines and Pods",
      { machines: [{ selector: label("os", "linux") }], pods: [{ selector: label("app", "b") }] },
      false,
    ],
  ])("select %s", (_, spec, applies) => {
    expect(judged(drainRule("r", { drain: skip, ...spec }))).toEqual(applies ? { type: "skip" } : "none");
  });

  it("with an invalid selector block the drain and are named", () => {
    const near = { matchExpressions: [{ key: "os", operator: "Near" }] };
    expect(judged(drainRule("r", { drain: skip, machines: [{ selector: near }] }))).toMatch(
      /^MachineDrainRule default\/r: spec\.machines\[0\]\.selector\.matchExpressions\[0\]\.operator is Near/,
    );
    const pods = [{ selector: {} }, { namespaceSelector: near }];
    expect(judged(drainRule("r", { drain: skip, pods }))).toMatch(
      /^MachineDrainRule default\/r: spec\.pods\[1\]\.namespaceSelector/,
    );
    // A rule for other Machines does not concern this one.
    const machines = [{ selector: label("os", "windows") }];
    expect(judged(drainRule("r", { drain: skip, machines, pods }))).toBe("none");
  });

  it("with an unknown behaviour block the drain", () => {
    const rule = drainRule("r", { drain: { behavior: "Evaporate" as "Drain" } });
    expect(judged(rule)).toBe(
      "MachineDrainRule default/r: spec.drain.behavior is Evaporate; write Drain, Skip or WaitCompleted",
    );
  });

  it("that are too large in all are refused before their selectors are read", () => {
    const values = Array.from({ length: 2_500 }, (_, at) => `v${at}`);
    const pods = [{ selector: { matchExpressions: [{ key: "a", operator: "In", values }] } }];
    const rules = ["a", "b"].map((name) => drainRule(name, { drain: skip, pods }));
    expect(judged(...rules)).toBe(
      "the MachineDrainRules of the namespace have more than 5000 selectors, keys and values; delete some",
    );
  });

  it("that take too many comparisons block the drain instead of holding up others", () => {
    const entry = { selector: label("app", "b") };
    const pods = Array.from({ length: 20 }, () => entry);
    const rules = Array.from({ length: 100 }, (_, at) => drainRule(`r${at}`, { drain: skip, pods }));
    const compiled = rulesOf(rules, { machine, cluster: owner });
    if (isBlocked(compiled)) throw new Error(compiled.problem);
    const ask = () =>
      compiled.behaviourOf(podOn("p", { metadata: { labels: { app: "a" } } }), namespace("apps"));
    for (let pod = 0; pod < 100; pod += 1) expect(ask()).toBeUndefined();
    expect(ask()).toMatchObject({ problem: expect.stringContaining("more than 200000 comparisons") });
  });
});
