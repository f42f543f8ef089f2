import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { truncate } from "../../../../shared/rules/conditions/truncate.ts";

describe("truncate", () => {
  it("keeps what fits and marks what was cut", () => {
    expect(truncate("abcd", 4)).toBe("abcd");
    expect(truncate("abcde", 4)).toBe("abc…");
  });

  it("never splits a character", () => {
    expect(truncate("ab😀d", 4)).toBe("ab…");
  });

  it("never gives more than the limit, and cutting again changes nothing", async () => {
    await fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, limit) => {
        const cut = truncate(text, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(truncate(cut, limit)).toBe(cut);
      }),
    );
  });
});
