import { describe, expect, it } from "vitest";
import { conditionSchema } from "../../../shared/api/conditions.ts";
import { REASONS } from "../../../shared/api/reasons.ts";

describe("the table of reasons", () => {
  it("has CamelCase names that fit a condition, each with a meaning and a place", () => {
    for (const [reason, { meaning, seen }] of Object.entries(REASONS)) {
      expect(reason).toMatch(/^[A-Z][A-Za-z0-9]{0,63}$/);
      expect(conditionSchema().shape.reason.safeParse(reason).success).toBe(true);
      expect(meaning).toMatch(/[^.]$/);
      expect(seen.length).toBeGreaterThan(0);
    }
  });
});
