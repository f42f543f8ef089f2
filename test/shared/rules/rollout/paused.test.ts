import { describe, expect, it } from "vitest";
import { limits } from "../../../../shared/rules/rollout/limits.ts";
import { paused } from "../../../../shared/rules/rollout/paused.ts";
import type { PlanSet, PlanSpec } from "../../../../shared/rules/rollout/plan-types.ts";
import { planSet, planSpec } from "../../../support/plan-sets.ts";

function sizes(current: PlanSet | undefined, old: readonly PlanSet[], overrides: Partial<PlanSpec> = {}) {
  const spec = planSpec({ paused: true, ...overrides });
  return [...paused({ spec, current, old, limits: limits(spec) })]
    .map(([name, { to, why }]) => `${name}=${to} ${why}`)
    .join(", ");
}

describe("a paused rollout", () => {
  it("scales the only set that is in use, else the current, else the newest", () => {
    const empty = planSet("b", "new", 0);
    expect(sizes(empty, [planSet("a", "old", 2)])).toBe("a=3 paused-one");
    expect(sizes(empty, [planSet("a", "old", 0)])).toBe("b=3 paused-one");
    expect(sizes(undefined, [planSet("a", "older", 0), planSet("b", "old", 0)])).toBe("b=3 paused-one");
    expect(sizes(undefined, [])).toBe("");
    expect(sizes(planSet("b", "new", 3), [])).toBe("");
    expect(sizes(planSet("b", "new", 2, { held: true }), [])).toBe("");
  });

  it("ends old sets when the current one has all that is wanted", () => {
    const old = [planSet("a", "old", 1), planSet("b", "old", 0)];
    expect(sizes(planSet("c", "new", 3), old)).toBe("a=0 saturated");
    expect(sizes(planSet("c", "new", 3, { desired: "4" }), old)).toBe("");
    expect(sizes(planSet("c", "new", 3, { available: 2 }), old)).toBe("");
  });

  it("gives the whole difference to the largest of several sets", () => {
    expect(sizes(planSet("b", "new", 1), [planSet("a", "old", 2)], { replicas: 5 })).toBe(
      "a=5 paused-spread",
    );
    expect(sizes(planSet("b", "new", 4), [planSet("a", "old", 2)], { replicas: 1 })).toBe(
      "b=0 paused-spread",
    );
    expect(sizes(planSet("b", "new", 2), [planSet("a", "old", 2)], { replicas: 4 })).toBe(
      "b=3 paused-spread",
    );
    expect(sizes(planSet("b", "new", 2), [planSet("a", "old", 2)], { replicas: 2 })).toBe(
      "a=1 paused-spread",
    );
  });

  it("spreads nothing with OnDelete, or among sets that keep their size", () => {
    expect(
      sizes(planSet("b", "new", 1), [planSet("a", "old", 2)], { replicas: 5, strategy: "OnDelete" }),
    ).toBe("");
    const held = { held: true };
    expect(sizes(planSet("b", "new", 1, held), [planSet("a", "old", 2, held)], { replicas: 5 })).toBe("");
  });

  it("ends all sets when none is wanted", () => {
    expect(sizes(planSet("b", "new", 1), [planSet("a", "old", 2)], { replicas: 0 })).toBe(
      "b=0 no-longer-wanted, a=0 no-longer-wanted",
    );
  });
});
