import { describe, expect, it } from "vitest";
import { prepare } from "../prepared.ts";
import { explore } from "./explore.ts";
import { SMALL_WORLDS } from "./small-world.ts";

describe("6.4: all orders of a small world", () => {
  it("end in one and the same state, wherever another writer gets there first", async () => {
    const [small] = SMALL_WORLDS.filter(({ name }) => name === "conflict");
    if (small === undefined) throw new Error("there is no such world");
    const { endings, violations, isComplete, states } = await explore(small, await prepare(), 1_000);
    expect({ endings: endings.length, violations, isComplete }).toEqual({
      endings: 1,
      violations: [],
      isComplete: true,
    });
    expect(states).toBeGreaterThan(20);
  });
});
