import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../../infra/apiserver/schema/pattern.ts";

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
      expect([pattern, compilePattern(pattern)?.test(good)]).toEqual([pattern, true]);
      expect([pattern, compilePattern(pattern)?.test(bad)]).toEqual([pattern, false]);
    }
  });

  it("are refused when RE2 does not know them or they are too long", () => {
    for (const pattern of ["(?=a)", "(?!a)", "(?<=a)b", "(a)\\1", "[", "(", "a".repeat(5000)]) {
      expect([pattern, compilePattern(pattern)]).toEqual([pattern, undefined]);
    }
  });

  it("do not match texts beyond 64 KiB", () => {
    expect(compilePattern("^a*$")?.test("a".repeat(64 * 1024 + 1))).toBe(false);
  });
});
