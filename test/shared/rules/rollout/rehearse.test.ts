import { describe, expect, it } from "vitest";
import type { PlanSpec } from "../../../../shared/rules/rollout/plan-types.ts";
import {
  type Rehearsal,
  type RehearsedSet,
  type Rehearsing,
  rehearse,
  type Step,
} from "../../../../shared/rules/rollout/rehearse.ts";
import { PLAN_NOW, planSet, planSpec } from "../../../support/plan-sets.ts";

/** A set with as many Machines as its status says, `a-1` first; `broken` of them are not available and go first. */
function withMachines(set: ReturnType<typeof planSet>, broken = 0): RehearsedSet {
  const machines = Array.from({ length: set.status?.replicas ?? 0 }, (_, at) => ({
    name: `${set.name}-${at + 1}`,
    available: at >= broken,
    deleting: false,
  }));
  return { ...set, machines };
}

function rehearsed(
  sets: readonly RehearsedSet[],
  { newMachines = "available", ...spec }: Partial<PlanSpec> & Partial<Pick<Rehearsing, "newMachines">> = {},
): Rehearsal {
  return rehearse({ spec: planSpec(spec), sets, now: PLAN_NOW, newSet: "new", newMachines });
}

/** `new=1 +1; 4 Machines, 3 available`: sizes, Machines made and gone, then the counts. */
function text({ changes, made, gone, total, available }: Step): string {
  const sizes = changes.flatMap((change) => {
    if (change.do === "create") return [`new=${change.replicas}`];
    if (change.do === "resize") return [`${change.set}=${change.to}`];
    return [`${change.do} ${change.set}`];
  });
  const moved = [
    ...made.map(({ count }) => `+${count}`),
    ...gone.map(({ machine = "made" }) => `-${machine}`),
  ];
  return `${[...sizes, ...moved].join(" ")}; ${total} Machines, ${available} available`;
}

const OLD = withMachines(planSet("old", "old", 3));

describe("a rehearsal", () => {
  it("names every step with its Machine, to the end", () => {
    const { steps, end, sets, isCut } = rehearsed([OLD]);
    expect(steps.map(text)).toEqual([
      "new=1 +1; 4 Machines, 3 available",
      "old=2 -old-1; 3 Machines, 3 available",
      "new=2 +1; 4 Machines, 3 available",
      "old=1 -old-2; 3 Machines, 3 available",
      "new=3 +1; 4 Machines, 3 available",
      "old=0 -old-3; 3 Machines, 3 available",
      "remove old; 3 Machines, 3 available",
    ]);
    expect({ done: end.done, isCut, sets: sets.map(({ name }) => name) }).toEqual({
      ...{ done: true, isCut: false, sets: ["new"] },
    });
  });

  it("stops where new Machines never become available, or cannot be made", () => {
    const broken = rehearsed([OLD], { newMachines: "never" });
    expect(broken.steps.map(text)).toEqual(["new=1 +1; 4 Machines, 3 available"]);
    expect(broken.end).toMatchObject({ done: false, waitsFor: "availability", changes: [] });
    const blocked = rehearsed([OLD], { newMachines: "none" });
    expect(blocked.steps.map(text)).toEqual(["new=1; 3 Machines, 3 available"]);
    expect(blocked.end.waitsFor).toBe("availability");
  });

  it("takes Machines that are not available first, and makes those that are missing", () => {
    const sick = withMachines(planSet("old", "old", 3, { available: 2 }), 1);
    const { steps } = rehearsed([sick], { maxSurge: 0, maxUnavailable: 1 });
    expect(steps.slice(0, 3).map(text)).toEqual([
      "new=0 old=2 -old-1; 2 Machines, 2 available",
      "new=1 +1; 3 Machines, 2 available",
      "old=1 -old-2; 2 Machines, 2 available",
    ]);
    const missing = withMachines(planSet("old", "new", 3, { machines: 2 }));
    expect(rehearsed([missing]).steps.map(text)).toEqual(["+1; 3 Machines, 2 available"]);
  });

  it("expects that Machines which start become available", () => {
    const machines = [{ name: "new-1", available: false, starting: true, deleting: false }];
    const current = { ...planSet("new", "new", 1, { available: 0, revision: "2" }), machines };
    const steps = rehearsed([current, OLD]).steps.map(text);
    expect(steps.slice(0, 2)).toEqual(["; 4 Machines, 3 available", "old=2 -old-1; 3 Machines, 3 available"]);
    expect(rehearsed([current, OLD], { newMachines: "never" }).steps).toEqual([]);
  });

  it("sees Machines and sets go that are being deleted", () => {
    const [first, ...others] = OLD.machines;
    const going = first === undefined ? [] : [{ ...first, deleting: true }];
    const set = { ...OLD, rollout: planSpec().rollout, machines: [...going, ...others] };
    expect(rehearsed([set]).steps.map(text)).toEqual(["+1 -old-1; 3 Machines, 2 available"]);
    const deleted = withMachines(planSet("gone", "old", 1, { deleting: true }));
    const current = withMachines(planSet("now", "new", 3, { revision: "2" }));
    expect(rehearsed([current, deleted]).steps.map(text)).toEqual(["-gone-1; 3 Machines, 3 available"]);
  });

  it("waits for a person with OnDelete, after which the place is taken", () => {
    const { steps, end, sets } = rehearsed([OLD], { strategy: "OnDelete" });
    expect(steps.map(text)).toEqual(["new=0; 3 Machines, 3 available"]);
    expect(end.waitsFor).toBe("place");
    const [old, current] = sets;
    if (old === undefined || current === undefined) throw new Error("bug: there are two sets");
    const deleted = { ...old, machines: old.machines.map((one, at) => ({ ...one, deleting: at === 0 })) };
    expect(rehearsed([deleted, current], { strategy: "OnDelete" }).steps.map(text)).toEqual([
      "-old-1; 2 Machines, 2 available",
      "old=2; 2 Machines, 2 available",
      "new=1 +1; 3 Machines, 2 available",
    ]);
  });

  it("takes Machines of its own last", () => {
    const growing = withMachines(planSet("old", "old", 4, { machines: 2 }));
    const { steps } = rehearsed([growing], { replicas: 4 });
    const gone = steps.flatMap((step) => step.gone.map(({ machine = "made" }) => machine));
    expect(gone).toEqual(["old-1", "old-2", "made", "made"]);
  });

  it("is cut when it has too many steps", () => {
    const large = rehearsed([{ ...planSet("old", "old", 30_000), machines: [], made: 30_000 }], {
      replicas: 30_000,
    });
    expect({ isCut: large.isCut, steps: large.steps.length }).toEqual({ isCut: true, steps: 20_000 });
  });
});
