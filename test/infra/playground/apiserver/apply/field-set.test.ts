import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  difference,
  draftSet,
  EMPTY_SET,
  equalSets,
  type FieldSet,
  formatPath,
  fromFieldsV1,
  insertPath,
  intersection,
  isEmptySet,
  pathsOf,
  toFieldsV1,
  union,
  withoutFields,
} from "../../../../../infra/playground/apiserver/apply/field-set.ts";

const element = fc.constantFrom("f:a", "f:b", 'k:{"n":1,"t":"x"}', 'v:"x"', "v:2");
const fieldSet: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => {
    const draft = draftSet();
    for (const path of paths) insertPath(draft, path);
    return draft;
  });

describe("field sets", () => {
  it("survive storage", () =>
    fc.assert(
      fc.property(fieldSet, (set) => {
        const stored = JSON.parse(JSON.stringify(toFieldsV1(set)));
        expect(equalSets(fromFieldsV1(stored), set)).toBe(true);
        expect(toFieldsV1(fromFieldsV1(stored))).toEqual(stored);
      }),
    ));

  it("of objects that are owned alike are kept once", () => {
    const path = ["f:spec", 'k:{"n":1}', "f:kept-once"];
    const [left, right] = [draftSet(), draftSet()];
    insertPath(left, path);
    insertPath(right, path);
    expect(toFieldsV1(left)).toBe(toFieldsV1(right));
  });

  it("obey the algebra of sets", () =>
    fc.assert(
      fc.property(fieldSet, fieldSet, (left, right) => {
        expect(equalSets(union(left, right), union(right, left))).toBe(true);
        expect(equalSets(union(difference(left, right), intersection(left, right)), left)).toBe(true);
        expect(isEmptySet(intersection(difference(left, right), right))).toBe(true);
        expect(isEmptySet(difference(left, left))).toBe(true);
        expect(equalSets(union(left, EMPTY_SET), left)).toBe(true);
      }),
    ));

  it("read list keys in any spelling", () => {
    const set = fromFieldsV1({ "f:items": { 'k:{ "t":"x", "n":1 }': { ".": {} } } });
    expect(toFieldsV1(union(set, EMPTY_SET))).toBeDefined();
    expect(pathsOf(set)).toEqual([["f:items", 'k:{"n":1,"t":"x"}']]);
  });

  it("refuse a malformed path element", () => {
    expect(() => fromFieldsV1({ "x:a": {} })).toThrow("bad path element");
    expect(() => fromFieldsV1({ "k:[1]": {} })).toThrow("bad list key");
    expect(() => fromFieldsV1({ "f:a": 1 })).toThrow("bad value");
  });

  it("print paths as conflicts do", () => {
    expect(formatPath(["f:spec", 'k:{"port":1,"protocol":"TCP"}', 'v:"a"', "i:3"])).toBe(
      '.spec[port=1,protocol="TCP"][="a"][3]',
    );
  });

  it("lose whole top-level fields", () => {
    const set = fromFieldsV1({ "f:spec": { "f:a": {} }, "f:status": { "f:b": {} } });
    expect(toFieldsV1(withoutFields(set, ["status"]))).toEqual({ "f:spec": { "f:a": {} } });
  });
});
