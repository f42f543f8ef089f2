import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { applyMergePatch } from "../../../../../infra/playground/apiserver/patch/merge-patch.ts";

describe("merge patch", () => {
  it("behaves as the examples of RFC 7386", () => {
    const examples: readonly [Json, Json, Json][] = [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{ a: "foo" }, "bar", "bar"],
      [[1, 2], { a: "b", c: null }, { a: "b" }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [doc, patch, result] of examples) expect(applyMergePatch(doc, patch)).toEqual(result);
  });

  it("changes nothing the second time", () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (doc, patch) => {
        const once = applyMergePatch(doc as Json, patch as Json);
        expect(applyMergePatch(once, patch as Json)).toEqual(once);
      }),
    ));

  it("keeps members whose names every object inherits, and reaches no prototype", () => {
    const patch = JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}, "a": 1}');
    const merged = applyMergePatch({}, patch);
    expect(Object.keys(merged as object)).toEqual(["__proto__", "constructor", "a"]);
    expect(JSON.stringify(merged)).toBe(JSON.stringify(patch));
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});
