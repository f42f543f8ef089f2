import { describe, expect, it } from "vitest";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";

describe("resource versions", () => {
  it.each([
    ["10", "9", true],
    ["9", "10", false],
    ["10", "10", true],
    ["123456789012345678901", "123456789012345678900", true],
    ["0", "1", false],
    [undefined, "1", false],
    ["abc", "1", false],
    ["1", "abc", false],
    ["007", "7", false],
  ])("%s is at least %s: %s", (a, b, expected) => {
    expect(isAtLeast(a, b)).toBe(expected);
  });
});
