import { beforeAll, describe, expect, it } from "vitest";
import { type Prepared, prepare } from "../play/prepared.ts";
import type { Part } from "./fingerprint.ts";
import { SMALL_WORLDS } from "./small-world.ts";
import { checkSoundness } from "./soundness.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
});

describe("the hash of a state", () => {
  it("is the same only for states that continue in the same way, and for either order of steps that commute", async () => {
    const { twins, swaps, differences } = await check("lease", 5);
    expect(differences).toEqual([]);
    expect([twins, swaps]).toEqual([5, 5]);
  });

  it("says too little without the ledger, and that is found", async () => {
    const { differences } = await check("lease", 12, ["ledger"]);
    expect(differences).not.toEqual([]);
  });
});

function check(name: string, pairs: number, leftOut: readonly Part[] = []) {
  const small = SMALL_WORLDS.find((one) => one.name === name);
  if (small === undefined) throw new Error(`there is no world ${name}`);
  return checkSoundness({ small, prepared, maxStates: 160, pairs, leftOut });
}
