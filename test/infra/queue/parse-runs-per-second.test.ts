import { describe, expect, it } from "vitest";
import { parseRunsPerSecond } from "../../../infra/queue/parse-runs-per-second.ts";

describe("a budget of runs", () => {
  it("is a whole number above 0", () => {
    expect(parseRunsPerSecond("20")).toBe(20);
    for (const text of ["", "0", "-1", "1.5", "1e3", "many", "1000000"])
      expect(() => parseRunsPerSecond(text), text).toThrow("a whole number from 1 to 999999");
  });
});
