import { describe, expect, it } from "vitest";
import { chooseCurrent } from "../../../../shared/rules/rollout/current.ts";
import type { PlanSet } from "../../../../shared/rules/rollout/plan-types.ts";
import { PLAN_NOW, planSet, planSpec } from "../../../support/plan-sets.ts";

/** The current set, then the old ones. */
function roles(sets: readonly PlanSet[], after?: number): string {
  const { current, old } = chooseCurrent(planSpec({ after }), sets, PLAN_NOW);
  return [current?.name ?? "none", ...old.map(({ name }) => name)].join(" ");
}

describe("the current set", () => {
  it("has the template of the deployment; the others are old, the oldest first", () => {
    expect(roles([planSet("c", "new", 0), planSet("b", "old", 3), planSet("a", "older", 1)])).toBe("c a b");
    expect(roles([planSet("b", "old", 3)])).toBe("none b");
  });

  it("is the largest of several, then the oldest, then the first by name", () => {
    expect(roles([planSet("a", "new", 1), planSet("b", "new", 2)])).toBe("b a");
    expect(roles([planSet("b", "new", 2), planSet("a", "new", 2)])).toBe("a b");
    const twin = { createdAt: PLAN_NOW };
    expect(roles([planSet("b", "new", 2, twin), planSet("a", "new", 2, twin)])).toBe("a b");
  });

  it("is not one that is being deleted", () => {
    expect(roles([planSet("a", "new", 3, { deleting: true })])).toBe("none a");
  });

  it("was made at or after rollout.after, once that is past", () => {
    const sets = [planSet("a", "new", 3, { createdAt: PLAN_NOW - 9000 })];
    expect(roles(sets, PLAN_NOW + 1)).toBe("a");
    expect(roles(sets, PLAN_NOW)).toBe("none a");
    const renewed = planSet("b", "new", 1, { createdAt: PLAN_NOW - 1000 });
    expect(roles([...sets, renewed], PLAN_NOW - 1000)).toBe("b a");
  });

  it("counts whole seconds, as creation times do", () => {
    expect(roles([planSet("a", "new", 3, { createdAt: PLAN_NOW - 1000 })], PLAN_NOW - 500)).toBe("a");
  });

  it("may be older than rollout.after by its clock when it was made for it", () => {
    const after = PLAN_NOW - 1000;
    const early = { createdAt: PLAN_NOW - 60_000 };
    expect(roles([planSet("a", "new", 3, { ...early, bornFor: after })], after)).toBe("a");
    expect(roles([planSet("a", "new", 3, { ...early, bornFor: after - 60_000 })], after)).toBe("none a");
  });
});
