import { describe, expect, it } from "vitest";
import { limits } from "../../../../shared/rules/rollout/limits.ts";
import { onDelete } from "../../../../shared/rules/rollout/on-delete.ts";
import type { PlanSet } from "../../../../shared/rules/rollout/plan-types.ts";
import { planSet, planSpec } from "../../../support/plan-sets.ts";

function sizes(current: PlanSet, old: readonly PlanSet[], replicas = 3): string {
  const bounds = limits(planSpec({ replicas, strategy: "OnDelete" }));
  return [...onDelete({ current, old, replicas, limits: bounds })]
    .map(([name, { to, why }]) => `${name}=${to} ${why}`)
    .join(", ");
}

describe("OnDelete", () => {
  it("waits for a person while all old Machines are there", () => {
    expect(sizes(planSet("b", "new", 0), [planSet("a", "old", 3)])).toBe("");
  });

  it("gives the place of a Machine to the current set once it is gone", () => {
    const old = planSet("a", "old", 3, { machines: 2 });
    expect(sizes(planSet("b", "new", 0), [old])).toBe("a=2 gone");
    expect(sizes(planSet("b", "new", 0), [planSet("a", "old", 2, { machines: 2 })])).toBe("b=1 room");
    expect(sizes(planSet("b", "new", 0), [planSet("a", "old", 2, { machines: 3 })])).toBe("");
  });

  it("gives all that is added to the current set", () => {
    expect(sizes(planSet("b", "new", 1), [planSet("a", "old", 2)], 6)).toBe("b=4 room");
  });

  it("takes what is too many from the oldest sets", () => {
    const old = [planSet("a", "older", 2), planSet("b", "old", 2)];
    expect(sizes(planSet("c", "new", 5), old)).toBe("c=3 too-many, a=0 too-many, b=0 too-many");
    expect(sizes(planSet("c", "new", 1), old)).toBe("a=0 too-many");
    expect(sizes(planSet("c", "new", 1), [planSet("a", "old", 2)], 0)).toBe(
      "c=0 no-longer-wanted, a=0 no-longer-wanted",
    );
  });

  it("leaves sets alone that are being deleted or held", () => {
    const held = [planSet("a", "old", 3, { held: true }), planSet("b", "old", 3, { deleting: true })];
    expect(sizes(planSet("c", "new", 3, { held: true }), held, 1)).toBe("");
  });
});
