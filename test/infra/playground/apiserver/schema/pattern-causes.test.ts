import { describe, expect, it } from "vitest";
import { patternCauses } from "../../../../../infra/playground/apiserver/schema/pattern-causes.ts";

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
