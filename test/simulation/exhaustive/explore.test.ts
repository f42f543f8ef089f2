import { beforeAll, describe, expect, it } from "vitest";
import { type Prepared, prepare } from "../play/prepared.ts";
import { explore } from "./explore.ts";
import { SMALL_WORLDS, type SmallWorld } from "./small-world.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("all orders of a small world", () => {
  it("end in one and the same state, wherever another writer gets there first", async () => {
    const found = await explore({ small: worldOf("conflict"), prepared, maxStates: 1_000 });
    expect({ ...found, endings: found.endings.length }).toMatchObject({
      endings: 1,
      violations: [],
      isComplete: true,
    });
    expect(found.states).toBeGreaterThan(20);
  });

  it("end in one and the same state, whenever the worker is killed", async () => {
    const found = await explore({ small: worldOf("crash"), prepared, maxStates: 1_000 });
    expect({ ...found, endings: found.endings.length }).toMatchObject({
      endings: 1,
      violations: [],
      isComplete: true,
    });
  });

  it("come to the same states when steps that commute are made in one order only", async () => {
    const [few, all] = [new Set<string>(), new Set<string>()];
    const common = { small: worldOf("conflict"), prepared, maxStates: 1_000 };
    const reduced = await explore({ ...common, onState: (state) => few.add(state) });
    const thorough = await explore({ ...common, isThorough: true, onState: (state) => all.add(state) });
    expect(few).toEqual(all);
    expect(reduced.orders).toBeLessThan(thorough.orders);
  });
});

function worldOf(name: string): SmallWorld {
  const found = SMALL_WORLDS.find((small) => small.name === name);
  if (found === undefined) throw new Error(`there is no world ${name}`);
  return found;
}
