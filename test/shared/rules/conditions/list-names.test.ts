import { describe, expect, it } from "vitest";
import { listNames } from "../../../../shared/rules/conditions/list-names.ts";

describe("names in a message", () => {
  it.each([
    [[], ""],
    [["a"], "a"],
    [["a", "b", "c"], "a, b, c"],
    [["a", "b", "c", "d"], "a, b, c, ... (1 more)"],
    [["d", "c", "b", "a", "x"], "d, c, b, ... (2 more)"],
  ])("of %j are %j: at most three, in their order", (names, text) => {
    expect(listNames(names, 3)).toBe(text);
  });
});
