import { describe, expect, it } from "vitest";
import { drainMessage, hasDrained } from "../../../../functions/machine/rules/drain-message.ts";
import type { DrainPlan } from "../../../../functions/machine/rules/drain-plan.ts";
import { refTo } from "../../../../shared/api/kinds.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import { type EvictionAnswer, NOT_REACHED } from "../../../../shared/function/evictions.ts";
import { podOn } from "../../../support/draining.ts";

const START = "2026-01-01T11:59:00Z";
const HEAD = `Drain not completed yet (started at ${START}):`;
const NONE: DrainPlan = {
  deleting: [],
  evictNow: [],
  evictLater: [],
  waitNow: [],
  waitLater: [],
  skipped: [],
};

const pods = (...names: readonly string[]) => names.map((name) => podOn(name));
const target = (name: string) => refTo(Pod, podOn(name), "default/c1");
const accepted = (name: string): EvictionAnswer => ({ type: "accepted", target: target(name) });
const gone = (name: string): EvictionAnswer => ({ type: "gone", target: target(name) });
type Causes = readonly { readonly reason?: string; readonly message?: string }[];
const refused = (name: string, message: string, causes: Causes = []): EvictionAnswer => ({
  type: "refused",
  target: target(name),
  message,
  causes,
});
const budget = (name: string, why: string) =>
  refused(name, "Cannot evict pod as it would violate the pod's disruption budget.", [
    { reason: "DisruptionBudget", message: why },
  ]);

function lines(plan: Partial<DrainPlan>, answers?: readonly EvictionAnswer[]): readonly string[] {
  const [head, ...rest] = drainMessage({ ...NONE, ...plan }, answers, START).split("\n");
  expect(head).toBe(HEAD);
  return rest;
}

describe("the message of a drain", () => {
  it("has a line for everything that keeps Pods, in this order", () => {
    const plan = {
      deleting: pods("d"),
      evictNow: pods("a", "b", "c", "x"),
      waitNow: pods("w"),
      evictLater: pods("l"),
      waitLater: pods("v"),
    };
    const answers = [
      accepted("a"),
      budget("b", "The disruption budget nginx needs 2 healthy pods and has 2 currently"),
      refused("c", "admission webhook denied the request"),
      gone("x"),
    ];
    expect(lines(plan, answers)).toEqual([
      "* Pods apps/a, apps/d: deletionTimestamp set, but still not removed from the Node",
      "* Pod apps/b: cannot evict pod as it would violate the pod's disruption budget. The disruption budget nginx needs 2 healthy pods and has 2 currently",
      "* Pod apps/c: failed to evict Pod, admission webhook denied the request",
      "* Pod apps/w: waiting for completion",
      "After above Pods have been removed from the Node, the following Pods will be evicted: apps/l",
      "After above Pods have been removed from the Node, waiting for the following Pods to complete without eviction: apps/v",
    ]);
  });

  it("groups refusals by their text and shortens what is long", () => {
    const names = ["a", "b", "c", "d", "e"];
    expect(
      lines(
        { evictNow: pods(...names) },
        names.map((name) => budget(name, "needs 5")),
      ),
    ).toEqual([
      "* Pods apps/a, apps/b, apps/c, ... (2 more): cannot evict pod as it would violate the pod's disruption budget. needs 5",
    ]);
    const many = ["1", "2", "3", "4", "5", "6", "7"];
    const answers = many.map((name) => refused(name, `error ${name}`));
    const shown = lines({ evictNow: pods(...many) }, answers);
    expect(shown).toHaveLength(6);
    expect(shown.at(-1)).toBe("* 2 Pods with other issues");
    expect(lines({ evictNow: pods(...many.slice(0, 6)) }, answers.slice(0, 6)).at(-1)).toBe(
      "* 1 Pod with other issues",
    );
  });

  it("names all causes of a budget, and says what a terminating namespace means", () => {
    const causes = ["needs 2", "needs 3"].map((message) => ({ reason: "DisruptionBudget", message }));
    expect(lines({ evictNow: pods("a") }, [refused("a", "No.", causes)])[0]).toContain(
      "budget. needs 2,needs 3",
    );
    const terminating = [{ reason: "NamespaceTerminating", message: "namespace apps is being terminated" }];
    expect(lines({ evictNow: pods("a") }, [refused("a", "forbidden", terminating)])).toEqual([
      "* Pod apps/a: failed to evict Pod, Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)",
    ]);
  });

  it("counts Pods that were not reached, also those beyond one run", () => {
    expect(lines({ evictNow: pods("a", "b") }, [refused("a", NOT_REACHED)])).toEqual([
      "* Pods apps/a, apps/b: failed to evict Pod, eviction timeout of 10s reached, eviction will be retried",
    ]);
  });
});

describe("a drain whose last Pods turn out to be gone", () => {
  it("is over; not while another Pod is left, or was not asked", () => {
    const plan = { ...NONE, evictNow: pods("a", "b") };
    expect(hasDrained(plan, [gone("a"), gone("b")])).toBe(true);
    expect(hasDrained(plan, [gone("a"), accepted("b")])).toBe(false);
    expect(hasDrained(plan, [gone("a")])).toBe(false);
    expect(hasDrained({ ...plan, waitLater: pods("w") }, [gone("a"), gone("b")])).toBe(false);
  });
});
