import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../../infra/playground/apiserver/objects/strict-json.ts";

describe("strict JSON", () => {
  it("names members that occur twice, the last of which wins", () => {
    const text =
      '{"spec": {"size": 1, "items": [{"a": 1}, {"a": "x: \\"a\\"", "a": 2}], "size": 2}, "kind": "a"}';
    expect(parseJson(text)).toEqual({
      value: { spec: { size: 2, items: [{ a: 1 }, { a: 2 }] }, kind: "a" },
      duplicates: ["spec.items[1].a", "spec.size"],
    });
    expect(parseJson(text, { checkDuplicates: false }).duplicates).toEqual([]);
    expect(parseJson('{"a": 1, "\\u0061": 2}').duplicates).toEqual(["a"]);
  });

  it("reads what JSON.parse reads and finds no duplicates in it", () =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!/__proto__|constructor|prototype/.test(text));
        const { value, duplicates } = parseJson(text);
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        expect(duplicates).toEqual([]);
      }),
    ));

  it("names a member once, and a hundred members at most, however deep they are", () => {
    const deep = (inner: string) => '{"a":'.repeat(900) + inner + "}".repeat(900);
    const same = parseJson(deep(`{${new Array(100_000).fill('"x":1').join(",")}}`)).duplicates;
    expect(same).toEqual([expect.stringMatching(/\.a\.x$/)]);
    const pairs = Array.from({ length: 100_000 }, (_, index) => `"k${index}":1,"k${index}":2`);
    expect(parseJson(deep(`{${pairs.join(",")}}`)).duplicates).toHaveLength(100);
  });

  it("keeps names that every object inherits as members like any other, however they are spelled", () => {
    const text = '{"a": {"__proto__": {"x": 1}, "\\u005f_proto__": 1, "constructor": 1, "b": 2}}';
    const { value, duplicates } = parseJson(text);
    expect(JSON.stringify(value)).toBe('{"a":{"__proto__":1,"constructor":1,"b":2}}');
    expect(duplicates).toEqual(["a.__proto__"]);
  });

  it("keeps integers of 64 bits as they came, and refuses numbers that are too large", () => {
    const kept =
      '{"a":9223372036854775807,"b":[-9223372036854775808,9007199254740993],"c":"9223372036854775807","d":9223372036854776000}';
    expect(JSON.stringify(parseJson(kept).value)).toBe(kept);
    expect(JSON.stringify(parseJson("[9223372036854775808,18446744073709551616,1.5e308]").value)).toBe(
      "[9223372036854776000,18446744073709552000,1.5e+308]",
    );
    for (const large of ["1e400", "-1E+400", `1${"0".repeat(400)}`]) {
      expect(() => parseJson(`{"a":${large}}`)).toThrow(`json: cannot unmarshal number ${large} into`);
    }
  });

  it("refuses malformed JSON and values that are nested too deeply", () => {
    expect(() => parseJson("{")).toThrow(SyntaxError);
    expect(() => parseJson(`${"[".repeat(1001)}${"]".repeat(1001)}`)).toThrow("exceeded max depth");
  });
});
