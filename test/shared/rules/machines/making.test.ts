import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Making, planMachines } from "../../../../shared/rules/machines/making.ts";

function plan(making: Partial<Making>) {
  return planMachines({
    replicas: 3,
    machines: [],
    reserved: [],
    taken: new Set(),
    isProven: true,
    isWaiting: false,
    ...making,
  });
}

const ABC = ["a", "b", "c"];

describe("the plan of Machines", () => {
  it("reserves before it makes: a run that lacks names makes nothing", () => {
    expect(plan({})).toEqual({ create: [], reserved: [], missing: 3 });
    expect(plan({ reserved: ["a"] })).toEqual({ create: [], reserved: ["a"], missing: 2 });
    expect(plan({ machines: ["x"], reserved: ["a"], replicas: 4 })).toMatchObject({ create: [], missing: 2 });
  });

  it("makes what is reserved, and keeps the names until each was seen", () => {
    expect(plan({ reserved: ABC })).toEqual({ create: ABC, reserved: ABC, missing: 0 });
    expect(plan({ reserved: ABC, machines: ["a"] })).toEqual({
      create: ["b", "c"],
      reserved: ABC,
      missing: 0,
    });
    expect(plan({ reserved: ABC, machines: ABC })).toEqual({ create: [], reserved: [], missing: 0 });
  });

  it("makes one Machine alone until the templates are proven, and none while one waits for its objects", () => {
    expect(plan({ reserved: ABC, isProven: false }).create).toEqual(["a"]);
    expect(plan({ reserved: ABC, machines: ["a"], isProven: false, isWaiting: true }).create).toEqual([]);
    expect(plan({ reserved: ABC, machines: ["a"], isProven: true, isWaiting: true }).create).toEqual([]);
    expect(plan({ reserved: ABC, machines: ["a"], isProven: true }).create).toEqual(["b", "c"]);
  });

  it("drops a name that another owner has, and reserves another", () => {
    expect(plan({ reserved: ABC, taken: new Set(["b"]) })).toEqual({
      create: [],
      reserved: ["a", "c"],
      missing: 1,
    });
  });

  it("drops names for which there is no room any more", () => {
    expect(plan({ reserved: ABC, replicas: 1 })).toEqual({ create: ["a"], reserved: ["a"], missing: 0 });
    expect(plan({ reserved: ABC, machines: ["a", "x"], replicas: 1 })).toEqual({
      create: [],
      reserved: [],
      missing: 0,
    });
  });

  it("reserves 100 names at most", () => {
    expect(plan({ replicas: 250 })).toMatchObject({ missing: 100 });
    expect(plan({ replicas: 250, reserved: ABC })).toMatchObject({ missing: 97 });
  });

  it("never plans more Machines than replicas, and never reserves a name that is taken", () =>
    fc.assert(
      fc.property(
        fc.record({
          replicas: fc.nat(8),
          machines: fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 }),
          reserved: fc.uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 }),
          taken: fc.uniqueArray(fc.constantFrom(..."abcdefgh")).map((names) => new Set(names)),
          isProven: fc.boolean(),
          isWaiting: fc.boolean(),
        }),
        (making) => {
          const { create, reserved, missing } = planMachines(making);
          const unmade = reserved.filter((name) => !making.machines.includes(name));
          const total = making.machines.length + unmade.length + missing;
          expect(total).toBeLessThanOrEqual(Math.max(making.replicas, making.machines.length));
          expect(create.filter((name) => making.taken.has(name) || making.machines.includes(name))).toEqual(
            [],
          );
          expect(create.length === 0 || missing === 0).toBe(true);
        },
      ),
    ));
});
