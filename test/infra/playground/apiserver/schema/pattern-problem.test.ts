import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import {
  patternProblem,
  type Spent,
} from "../../../../../infra/playground/apiserver/schema/pattern-problem.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { validate } from "../../../../../infra/playground/apiserver/schema/validate.ts";

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
