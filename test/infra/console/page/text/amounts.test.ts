import { describe, expect, it } from "vitest";
import { ageText, counted, countText, durationText } from "../../../../../infra/console/page/text/amounts.ts";

describe("amounts for people", () => {
  it("writes ages as kubectl does", () => {
    const cases = [-5_000, 0, 45_000, 119_999, 120_000, 7_199_000, 7_200_000, 172_799_000, 172_800_000];
    expect(cases.map(ageText)).toEqual(["0s", "0s", "45s", "119s", "2m", "119m", "2h", "47h", "2d"]);
  });

  it("writes durations with their unit", () => {
    expect([0.26, 8.44, 12.4, 999, 1_400, 192_000].map(durationText)).toEqual([
      ...["0.3 ms", "8.4 ms", "12 ms", "999 ms", "1.4 s", "3.2 min"],
    ]);
  });

  it("separates thousands", () => {
    expect([0, 999, 1_000, 12_345, 999_999, 1_234_567].map(countText)).toEqual([
      ...["0", "999", "1,000", "12,345", "999,999", "1,234,567"],
    ]);
  });

  it("writes counts with their noun", () => {
    expect([counted(1, "Machine"), counted(10_983, "Machine")]).toEqual(["1 Machine", "10,983 Machines"]);
  });
});
