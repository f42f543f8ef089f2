import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../../../infra/playground/apiserver/objects/json.ts";

describe("canonical JSON", () => {
  it("is the same for equal values whatever the order of their members", () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    expect(canonicalJson({ a: "x", b: [{ c: null, d: 1 }] })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  });

  it("distinguishes texts from numbers and keeps members that every object inherits", () => {
    expect([1, "1", null, true].map(canonicalJson)).toEqual(["1", '"1"', "null", "true"]);
    expect(canonicalJson(JSON.parse('{"toString":1,"__proto__":2}'))).toBe('{"__proto__":2,"toString":1}');
  });
});
