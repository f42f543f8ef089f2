import { describe, expect, it } from "vitest";
import { limits } from "../../../../shared/rules/rollout/limits.ts";
import type { PlanSet, PlanSpec } from "../../../../shared/rules/rollout/plan-types.ts";
import {
  growCurrent,
  rollingUpdate,
  shrinkOld,
  unblock,
} from "../../../../shared/rules/rollout/rolling-update.ts";
import type { Sizes } from "../../../../shared/rules/rollout/sizes.ts";
import { planSet, planSpec } from "../../../support/plan-sets.ts";

function rolling(current: PlanSet, old: readonly PlanSet[], overrides: Partial<PlanSpec> = {}) {
  const spec = planSpec(overrides);
  return { current, old, replicas: spec.replicas, limits: limits(spec) };
}

/** `a=2 available`: size and reason of each set that changes. */
function text(sizes: Sizes): string {
  return [...sizes].map(([name, { to, why }]) => `${name}=${to} ${why}`).join(", ");
}

describe("the current set in a rolling update", () => {
  it("grows as the limit of all Machines allows; those that go count", () => {
    expect(growCurrent(rolling(planSet("b", "new", 0), [planSet("a", "old", 3)]))).toEqual({
      to: 1,
      why: "room",
    });
    expect(
      growCurrent(rolling(planSet("b", "new", 1), [planSet("a", "old", 2, { machines: 3 })])),
    ).toBeUndefined();
    expect(growCurrent(rolling(planSet("b", "new", 3), []))).toBeUndefined();
  });

  it("shrinks at once", () => {
    expect(growCurrent(rolling(planSet("b", "new", 5), []))).toEqual({ to: 3, why: "too-many" });
    const none = rolling(planSet("b", "new", 5), [], { replicas: 0 });
    expect(growCurrent(none)).toEqual({ to: 0, why: "no-longer-wanted" });
  });

  it("keeps its size while Cluster API moves Machines to another set", () => {
    expect(growCurrent(rolling(planSet("b", "new", 5, { held: true }), []))).toBeUndefined();
  });
});

describe("old sets in a rolling update", () => {
  it("shrink as far as enough Machines are available without them", () => {
    expect(text(rollingUpdate(rolling(planSet("b", "new", 1), [planSet("a", "old", 3)])))).toBe(
      "a=2 available",
    );
    const broken = planSet("b", "new", 1, { available: 0 });
    expect(text(rollingUpdate(rolling(broken, [planSet("a", "old", 3)])))).toBe("");
  });

  it("lose unavailable Machines first, the oldest set before the others", () => {
    const old = [planSet("a", "older", 2), planSet("b", "old", 2, { available: 0 })];
    const facts = rolling(planSet("c", "new", 1), old, { maxUnavailable: 1 });
    expect(text(shrinkOld(facts, new Map(), 3))).toBe("b=0 unavailable-first, a=1 available");
  });

  it("lose no Machine when each could be an available one that is needed", () => {
    const mixed = planSet("a", "old", 3, { available: 2 });
    const facts = rolling(planSet("b", "new", 1), [mixed]);
    expect(text(shrinkOld(facts, new Map(), 1))).toBe("");
  });

  it("all end when none is wanted", () => {
    const facts = rolling(planSet("b", "new", 1), [planSet("a", "old", 3)], { replicas: 0 });
    expect(text(rollingUpdate(facts))).toBe("b=0 no-longer-wanted, a=0 no-longer-wanted");
  });

  it("count on no Machine of a set that is being deleted, and leave its size", () => {
    const going = planSet("a", "older", 2, { deleting: true });
    const facts = rolling(planSet("c", "new", 1), [going, planSet("b", "old", 2)]);
    expect(text(rollingUpdate(facts))).toBe("");
  });
});

describe("a broken old Machine", () => {
  const broken = planSet("a", "old", 3, { available: 2 });

  it("goes when everything else rests, although fewer than the least are available", () => {
    expect(text(rollingUpdate(rolling(planSet("b", "new", 1), [broken])))).toBe("a=2 unblock");
  });

  it("stays while something moves or a new Machine is not available", () => {
    expect(text(unblock(rolling(planSet("b", "new", 1, { machines: 0 }), [broken]), 0))).toBe("");
    expect(text(unblock(rolling(planSet("b", "new", 1, { available: 0 }), [broken]), 0))).toBe("");
    expect(text(unblock(rolling(planSet("b", "new", 1), [planSet("a", "old", 3)]), 0))).toBe("");
  });

  it("is one of the largest set, or of the oldest when there was room", () => {
    const sets = [planSet("a", "older", 2, { available: 1 }), planSet("b", "old", 3, { available: 1 })];
    const facts = rolling(planSet("c", "new", 0), sets);
    expect(text(unblock(facts, 0))).toBe("b=2 unblock");
    expect(text(unblock(facts, 1))).toBe("a=1 unblock");
  });
});
