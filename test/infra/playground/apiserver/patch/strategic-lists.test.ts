import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { mergeLists } from "../../../../../infra/playground/apiserver/patch/strategic-lists.ts";

/** Only what never ends takes longer. */
const HANG_MS = 300_000;

interface Patch {
  readonly key?: string;
  readonly items: readonly Json[];
  readonly order?: readonly Json[];
  readonly deleted?: readonly Json[];
}

function merged(old: readonly Json[], { key = "name", items, order, deleted = [] }: Patch): Json {
  const merge = (before: JsonObject, item: JsonObject): JsonObject => ({ ...before, ...item });
  return mergeLists(old, { key, items, order, deleted, merge });
}

const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));

describe("lists of a strategic merge patch", () => {
  it("change the first of several members with one key", () => {
    const old = [{ name: "a", at: 1 }, { name: "b" }, { name: "a", at: 2 }];
    expect(merged(old, { items: [{ name: "a", x: 1 }] })).toEqual([
      { name: "a", at: 1, x: 1 },
      { name: "a", at: 2 },
      { name: "b" },
    ]);
    const gone = { name: "a", $patch: "delete" };
    expect(merged(old, { items: [gone] })).toEqual([{ name: "b" }, { name: "a", at: 2 }]);
    expect(merged(old, { items: [gone, gone, gone] })).toEqual([{ name: "b" }]);
    expect(merged(old, { items: [gone, gone, { name: "a", at: 3 }] })).toEqual([
      { name: "a", at: 3 },
      { name: "b" },
    ]);
  });

  it("come in the client's order, the others where the server had them", () => {
    expect(merged(named("a", "b", "c"), { items: named("d"), order: named("c", "d", "a") })).toEqual(
      named("b", "c", "d", "a"),
    );
    expect(() => merged([], { items: named("a", "b"), order: named("b", "a") })).toThrow(/order/);
  });

  it("of scalars merge by value", () => {
    expect(merged(["a", "b", "c"], { key: "=", items: ["d", "a"], deleted: ["b"] })).toEqual(["d", "a", "c"]);
  });

  it(
    "of a hundred thousand members are merged without comparing each with each",
    () => {
      // Ten thousand million comparisons when the list was searched for every member.
      const names = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
      const items = [
        ...named(...names.slice(0, 60_000)),
        ...named(...names.slice(0, 40_000).map((n) => `${n}x`)),
      ];
      expect(merged(named(...names), { items, deleted: [] })).toHaveLength(140_000);
    },
    HANG_MS,
  );
});
