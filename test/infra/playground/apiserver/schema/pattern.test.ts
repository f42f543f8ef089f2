import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import {
  compilePattern,
  isRefused,
  patternCauses,
  patternProblem,
  patternWeight,
  type Spent,
} from "../../../../../infra/playground/apiserver/schema/pattern.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { validate } from "../../../../../infra/playground/apiserver/schema/validate.ts";

describe("patterns of a CustomResourceDefinition", () => {
  it("are refused wherever they are, in the words of the real server", () => {
    const bad = { pattern: "(?=a)" };
    const schema = {
      properties: {
        p: bad,
        list: { items: bad },
        map: { additionalProperties: bad },
        good: { pattern: "^a$" },
      },
      allOf: [{}, bad],
      anyOf: [bad],
      oneOf: [bad],
      not: bad,
    };
    const causes = patternCauses(schema, "at");
    expect(causes.map(({ field }) => field)).toEqual([
      "at.properties[p].pattern",
      "at.properties[list].items.pattern",
      "at.properties[map].additionalProperties.pattern",
      "at.not.pattern",
      "at.allOf[1].pattern",
      "at.anyOf[0].pattern",
      "at.oneOf[0].pattern",
    ]);
    expect(new Set(causes.map(({ message }) => message))).toEqual(
      new Set([
        'Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ]),
    );
  });

  it("are refused when all of them together are too much to compile, the same one counted once", () => {
    const properties = (texts: readonly string[]) => ({
      properties: Object.fromEntries(texts.map((pattern, index) => [`p${index}`, { pattern }])),
    });
    const wide = (index: number) => `^${"a{9}".repeat(150)}${index}$`;
    expect(patternCauses(properties(new Array(500).fill(wide(0))), "at")).toEqual([]);
    const [first, ...more] = patternCauses(properties(Array.from({ length: 10 }, (_, at) => wide(at))), "at");
    expect(first?.field).toBe("at.properties[p5].pattern");
    expect(first?.message).toContain("the patterns of this schema are too large together");
    expect(more).toHaveLength(4);
  });
});

describe("texts on patterns", () => {
  it("say what they lack, and nothing of a pattern that RE2 refuses", () => {
    const spent: Spent = { patternSteps: 0 };
    expect(patternProblem(spent, "^a+$", "aa", "p")).toBeUndefined();
    expect(patternProblem(spent, "^a+$", "b", "p")).toBe("should match '^a+$'");
    expect(patternProblem(spent, "(?=a)", "b", "p")).toBeUndefined();
    expect(spent).toEqual({ patternSteps: expect.any(Number) });
  });

  it("are no longer tried once their lengths times the sizes of the programs are beyond 32 million", () => {
    const spent: Spent = { patternSteps: 0 };
    // 1,002 instructions or so, and a thousand characters each.
    const places = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const place of places) patternProblem(spent, "^a{1000}", "a".repeat(1_000), place);
    expect(spent.tooLong).toEqual({ pattern: "^a{1000}", path: "p31" });
    expect(spent.patternSteps).toBeLessThan(34_000_000);
  });

  it("share what one object may take, and refuse it even where an alternative would accept it", () => {
    const text: Schema = { type: "string", anyOf: [{ pattern: "^a{900}" }, { pattern: "^b{900}" }] };
    const schema: Schema = { type: "array", items: text };
    const of = (count: number): Json => new Array(count).fill("b".repeat(1_000));
    expect(validate(schema, of(10))).toEqual([]);
    expect(validate(schema, of(1_000))).toEqual([
      {
        reason: "FieldValueInvalid",
        message:
          "Invalid value: [17] in body is too long to be matched with '^b{900}': all texts of an object may take 32000000 steps together",
        field: "[17]",
      },
    ]);
  });
});

function matches(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  if (isRefused(compiled)) throw new Error(compiled.problem);
  return compiled.test(text);
}

function problemOf(pattern: string): string | undefined {
  const compiled = compilePattern(pattern);
  return isRefused(compiled) ? compiled.problem : undefined;
}

describe("patterns", () => {
  it("mean what they mean in RE2", () => {
    const cases: readonly [string, string, string][] = [
      ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "a-b", "-a"],
      ["(?i)^ready$", "READY", "reading"],
      ["\\Aab\\z", "ab", "abc"],
      ["^[[:alpha:]_]+$", "a_b", "a1"],
      ["^(?P<x>\\d+)$", "12", "x"],
      ["^\\_\\-\\@$", "_-@", "x"],
      ["^[]a]+$", "a]", "b"],
      ["^[^]a]+$", "b", "]"],
      ["^[\\w\\-.]+$", "a-b.c", "a/b"],
      ["^\\pL+$", "äb", "1"],
      ["^\\Qa.b\\E$", "a.b", "axb"],
      ["^\\x{41}$", "A", "B"],
      ["^(?:a|b){2,3}$", "aba", "a"],
      ["x", "axb", "ab"],
    ];
    for (const [pattern, good, bad] of cases) {
      expect([pattern, matches(pattern, good)]).toEqual([pattern, true]);
      expect([pattern, matches(pattern, bad)]).toEqual([pattern, false]);
    }
  });

  it("are refused with the reason of RE2 when it does not know them", () => {
    const refused: readonly [string, string][] = [
      ["(?=a)b", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
      ["(?!a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?!`"],
      ["(?<=a)b", "error parsing regexp: invalid named capture: `(?<=a)b`"],
      ["(a)\\1", "error parsing regexp: invalid escape sequence: `\\1`"],
      ["[", "error parsing regexp: missing closing ]: `[`"],
      ["(", "error parsing regexp: missing closing ): `(`"],
      ["a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"],
      ["(a{100}){100}", "error parsing regexp: invalid repeat count: `{100}`"],
    ];
    for (const [pattern, problem] of refused) expect(problemOf(pattern)).toBe(problem);
  });

  it("are refused when they are too long or too much work to compile", () => {
    expect(problemOf("a".repeat(5_000))).toBe("it is longer than 4096 characters");
    for (const pattern of ["a{1000}".repeat(500), `(?i)${"[a-\\x{10000}]".repeat(300)}`]) {
      expect(problemOf(pattern)).toBe("its repetitions and character classes make it too large");
    }
    expect(patternWeight("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")).toBe(31);
    expect(patternWeight("^\\pL{1,63}$")).toBe(561);
    expect(patternWeight("(?i)^[a-\\x{7f}]+$")).toBe(1_017);
  });

  it("S-52: that hold a search for ever elsewhere take steps in proportion to the text", () => {
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^([a-z]+)*[0-9]$", "^(a|aa)+$"]) {
      expect(matches(pattern, `${"a".repeat(50_000)}!`)).toBe(false);
    }
  });
});
