import { describe, expect, it } from "vitest";
import {
  compilePattern,
  isRefused,
  patternWeight,
} from "../../../../../infra/playground/apiserver/schema/pattern.ts";

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
