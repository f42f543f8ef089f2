import { describe, expect, it } from "vitest";
import { historyOf, plan, revisionOf } from "../../../../shared/rules/rollout/plan.ts";
import type { PlanSet, PlanSpec } from "../../../../shared/rules/rollout/plan-types.ts";
import { PLAN_NOW, planSet, planSpec } from "../../../support/plan-sets.ts";

function planned(sets: readonly PlanSet[], overrides: Partial<PlanSpec> = {}) {
  return plan(planSpec(overrides), sets, PLAN_NOW);
}

describe("the plan of a rollout", () => {
  it("makes a set for a new template, with the size that it may have and the next revision", () => {
    const { current, changes, limits, done } = planned([planSet("a", "old", 3)]);
    expect(changes).toEqual([{ do: "create", replicas: 1, revision: "2", why: "room" }]);
    expect({ current, done, limits }).toEqual({
      ...{ current: undefined, done: false },
      limits: { surge: 1, unavailable: 0, atLeast: 3, atMost: 4 },
    });
  });

  it("resizes the current set, revises it, then takes from old ones", () => {
    const sets = [planSet("a", "new", 1), planSet("b", "old", 3, { revision: "4" })];
    expect(planned(sets, { replicas: 4 }).changes).toEqual([
      { do: "resize", set: "a", from: 1, to: 2, why: "room" },
      { do: "revise", set: "a", revision: "5", history: "1" },
    ]);
  });

  it("removes old sets when all is done, but not one that has yet to observe its size", () => {
    const old = [planSet("a", "old", 0), planSet("b", "old", 0, { observed: false })];
    const { changes, done } = planned([planSet("c", "new", 3, { revision: "2" }), ...old]);
    expect(changes).toEqual([{ do: "remove", set: "a", why: "done" }]);
    expect(done).toBe(true);
  });

  it("neither makes nor removes a set while rollouts are paused", () => {
    expect(planned([planSet("a", "old", 3)], { paused: true }).changes).toEqual([]);
    const sets = [planSet("b", "new", 3, { revision: "2" }), planSet("a", "old", 0)];
    expect(planned(sets, { paused: true })).toMatchObject({ changes: [], done: false, waitsFor: undefined });
  });

  it("says when rollout.after comes", () => {
    expect(planned([], { after: PLAN_NOW + 5000 }).next).toBe(PLAN_NOW + 5000);
    expect(planned([], { after: PLAN_NOW }).next).toBeUndefined();
  });
});

describe("a rollout with nothing to do", () => {
  const waits = (sets: readonly PlanSet[], overrides: Partial<PlanSpec> = {}) => {
    const { changes, waitsFor } = planned(sets, overrides);
    return changes.length === 0 ? waitsFor : changes;
  };
  const revised = { revision: "2" };

  it("waits for new Machines to become available", () => {
    const current = planSet("b", "new", 1, { ...revised, available: 0 });
    expect(waits([current, planSet("a", "old", 3)])).toBe("availability");
    expect(waits([planSet("b", "new", 3, { ...revised, machines: 2 })])).toBe("availability");
  });

  it("waits for Machines that go when they fill the limit or are the last", () => {
    const going = planSet("a", "old", 2, { machines: 3 });
    expect(waits([planSet("b", "new", 1, revised), going])).toBe("deletion");
    expect(
      waits([planSet("b", "new", 3, revised), planSet("a", "old", 0, { machines: 1, observed: false })]),
    ).toBe("deletion");
  });

  it("waits for a person with OnDelete", () => {
    const sets = [planSet("b", "new", 0, revised), planSet("a", "old", 3)];
    expect(waits(sets, { strategy: "OnDelete" })).toBe("place");
  });

  it("is not done by counts of the former template", () => {
    const old = planSet("a", "old", 3);
    const counted = { ...old, status: old.status && { ...old.status, upToDate: 3 } };
    expect(waits([planSet("b", "new", 1, { ...revised, machines: 0 }), counted])).toBe("availability");
  });

  it("waits for nothing when it is done", () => {
    expect(waits([planSet("a", "new", 3)])).toBeUndefined();
  });
});

function set(revision?: string, history?: string) {
  return planSet("a", "new", 1, { revision, history });
}

describe("the revision of the current set", () => {
  it("is the number after the highest of the old sets", () => {
    expect(revisionOf(undefined, [])).toBe("1");
    expect(revisionOf(undefined, [set("2"), set("10")])).toBe("11");
    expect(revisionOf(set("1"), [set("2")])).toBe("3");
  });

  it("is never lowered", () => {
    expect(revisionOf(set("7"), [set("2")])).toBe("7");
    expect(revisionOf(set("7"), [])).toBe("7");
  });

  it("counts a text that is not a number as 0", () => {
    expect(revisionOf(set("first"), [])).toBe("1");
    expect(revisionOf(set("1"), [set("first"), set(undefined), set("-4")])).toBe("1");
  });

  it("leaves the former one in the history", () => {
    expect(historyOf(set("3", "1,2"))).toBe("1,2,3");
    expect(historyOf(set("3"))).toBe("3");
    expect(historyOf(set(undefined, "1"))).toBe("1");
    expect(historyOf(set())).toBeUndefined();
  });
});
