import { describe, expect, it } from "vitest";
import { backoffMs, MINUTE } from "../../../shared/function/backoff.ts";

describe("backoff (Q-08)", () => {
  it("doubles from 100 ms", () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 0))).toEqual([100, 200, 400, 800]);
  });
  it("stops at five minutes, also after very many failures", () => {
    expect(backoffMs(16, 0)).toBe(5 * MINUTE);
    expect(backoffMs(100_000, 0)).toBe(5 * MINUTE);
  });
  it("adds at most a tenth", () => {
    expect(backoffMs(1, 0.999_999)).toBe(110);
  });
});
