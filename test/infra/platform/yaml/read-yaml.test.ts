import { describe, expect, it } from "vitest";
import { readYaml, type YamlBounds, YamlError } from "../../../../infra/platform/yaml/read-yaml.ts";

const WIDE: YamlBounds = {
  maxBytes: 256 * 1024,
  maxDocuments: 10,
  maxMarks: 50_000,
  maxAliases: 100,
};
const value = (text: string, bounds: Partial<YamlBounds> = {}) =>
  readYaml(text, { ...WIDE, ...bounds })[0]?.value;
const refusal = (text: string, bounds: Partial<YamlBounds> = {}): YamlError => {
  try {
    readYaml(text, { ...WIDE, ...bounds });
  } catch (error) {
    if (error instanceof YamlError) return error;
    throw error;
  }
  throw new Error("the text was read");
};

describe("YAML", () => {
  it.each([
    ["y", true],
    ["no", false],
    ["010", 8],
    ["0x1F", 31],
    ["-0b11", -3],
    ["1_000", 1000],
    ["08", 8],
    ["1e3", 1000],
    ["1.5", 1.5],
    ["~", null],
    ["1:30", "1:30"],
    ["2026-11-22", "2026-11-22"],
    [".inf", ".inf"],
    ["1e999", "1e999"],
    ["'1'", "1"],
  ])("reads the scalar %s as Kubernetes does: %j", (text, read) => {
    expect(value(`a: ${text}`)).toEqual({ a: read });
  });

  it("names the line of each document, and of each key that a map has twice", () => {
    const documents = readYaml('# one\na: 1\nb: {c: 1, "c": 2}\na: 3\n---\n---\n- x\n', WIDE);
    expect(documents).toEqual([
      {
        value: { a: 3, b: { c: 2 } },
        line: 2,
        duplicates: [
          { key: "c", line: 3 },
          { key: "a", line: 4 },
        ],
      },
      { value: null, line: 0, duplicates: [] },
      { value: ["x"], line: 7, duplicates: [] },
    ]);
  });

  it("keeps a member __proto__ as a member", () => {
    expect(JSON.stringify(value("__proto__: {a: 1}"))).toBe('{"__proto__":{"a":1}}');
  });

  it("takes merge keys", () => {
    expect(value("a: &a {x: 1}\nb:\n  <<: *a\n  z: 2\n")).toEqual({ a: { x: 1 }, b: { x: 1, z: 2 } });
  });

  it.each([
    ["a: [", /^line \d: /],
    ["a: *b", /^line 1: .*alias/],
    ["a: !!python/object b", /^line 1: .*tag/],
    ["? [a]\n: b", /key/],
    ["a: &a [*a]", /aliases are written out/],
  ])("refuses %j", (text, message) => {
    expect(refusal(text).message).toMatch(message);
  });

  it.each([
    ["a".repeat(11), { maxBytes: 10 }, "more than 10 bytes"],
    ["ä".repeat(6), { maxBytes: 10 }, "more than 10 bytes"],
    ["---\na\n---\nb", { maxDocuments: 1 }, "more than 1 documents"],
    ["a\n".repeat(11), { maxMarks: 10 }, "more than 10 lines and values"],
    ["a\r".repeat(11), { maxMarks: 10 }, "more than 10 lines and values"],
    [`[${"a,".repeat(11)}]`, { maxMarks: 10 }, "more than 10 lines and values"],
    ["- - - - - - x", { maxMarks: 5 }, "more than 5 lines and values"],
    ["a: &a b\nc: *a", { maxAliases: 0 }, "aliases"],
    ["[".repeat(200), {}, undefined],
  ])("has bounds: %j", (text, bounds, bound) => {
    expect(refusal(text, bounds).bound).toBe(bound);
  });

  it("refuses aliases that double with each line, and reads as many that do not", () => {
    const doubling = Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`);
    expect(refusal(["a0: &a0 x", ...doubling].join("\n")).bound).toContain("aliases are written out");
    expect(value(`a: &a [x, z]\nb: [${"*a, ".repeat(90)}]`)).toMatchObject({ a: ["x", "z"] });
  });
});
