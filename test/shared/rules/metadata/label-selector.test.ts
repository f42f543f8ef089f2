import { describe, expect, it } from "vitest";
import type { LabelSelector } from "../../../../shared/api/meta.ts";
import { parseSelector } from "../../../../shared/rules/metadata/label-selector.ts";

function parsed(selector: LabelSelector) {
  const found = parseSelector(selector);
  if ("problem" in found) throw new Error(found.problem);
  return found;
}

const ALL_FORMS: LabelSelector = {
  matchLabels: { tier: "a" },
  matchExpressions: [
    { key: "zone", operator: "In", values: ["y", "x"] },
    { key: "old", operator: "DoesNotExist" },
    { key: "app", operator: "Exists" },
    { key: "zone", operator: "NotIn", values: ["z"] },
  ],
};

describe("a label selector", () => {
  it("is written as the API server reads it, by key", () => {
    expect(parsed(ALL_FORMS).text).toBe("app,!old,tier=a,zone in (x,y),zone notin (z)");
  });

  it.each([
    ["all labels as wanted", { tier: "a", zone: "x", app: "" }, true],
    ["another value", { tier: "b", zone: "x", app: "" }, false],
    ["a value that is not listed", { tier: "a", zone: "w", app: "" }, false],
    ["a label that must not be there", { tier: "a", zone: "x", app: "", old: "" }, false],
    ["a label that is missing", { tier: "a", zone: "x" }, false],
    ["no labels", undefined, false],
  ])("judges an object with %s", (_, labels, expected) => {
    expect(parsed(ALL_FORMS).matches(labels)).toBe(expected);
  });

  it("without requirements means every object", () => {
    expect(parsed({})).toMatchObject({ text: "", isEmpty: true });
    expect(parsed({ matchLabels: {} }).matches(undefined)).toBe(true);
  });

  it("takes an absent label for one that is not in the list", () => {
    expect(parsed({ matchExpressions: [{ key: "a", operator: "NotIn", values: ["x"] }] }).matches({})).toBe(
      true,
    );
    expect(parsed({ matchLabels: { constructor: "x" } }).matches({})).toBe(false);
  });

  it("with more requirements than any real one has is refused: thousands of Machines are compared with each", () => {
    const requirements = (count: number): LabelSelector => ({
      matchLabels: { a: "x" },
      matchExpressions: Array.from({ length: count - 1 }, (_, n) => ({
        key: `k${n}`,
        operator: "DoesNotExist",
      })),
    });
    expect(parsed(requirements(1_000)).matches({ a: "x" })).toBe(true);
    expect(parseSelector(requirements(1_001))).toEqual({
      problem: "matchLabels and matchExpressions have 1001 entries; write at most 1000",
    });
  });

  it.each([
    ["matchLabels has the key a b, which is not a label key", { matchLabels: { "a b": "" } }],
    ["matchLabels[a] is b c, which is not a label value", { matchLabels: { a: "b c" } }],
    [
      "matchExpressions[0].operator is Like; write In, NotIn, Exists or DoesNotExist",
      { matchExpressions: [{ key: "a", operator: "Like" }] },
    ],
    [
      "matchExpressions[0].values is empty; In needs at least one value",
      { matchExpressions: [{ key: "a", operator: "In" }] },
    ],
    [
      "matchExpressions[0].values is set; Exists takes no values",
      { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
    ],
    [
      "matchExpressions[0].values has b c, which is not a label value",
      { matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] },
    ],
    [
      "matchExpressions[0].key is , which is not a label key",
      { matchExpressions: [{ key: "", operator: "Exists" }] },
    ],
  ])("is refused: %s", (problem, selector) => {
    expect(parseSelector(selector)).toEqual({ problem });
  });

  it("is refused in few words, however long its parts are", () => {
    const long = "x".repeat(1_000_000);
    for (const selector of [
      { matchLabels: { [long]: "" } },
      { matchLabels: { a: long } },
      { matchExpressions: [{ key: long, operator: "Exists" }] },
      { matchExpressions: [{ key: "a", operator: long }] },
      { matchExpressions: [{ key: "a", operator: "In", values: [long] }] },
    ]) {
      const refused = parseSelector(selector);
      expect("problem" in refused && refused.problem.length < 200).toBe(true);
    }
  });
});
