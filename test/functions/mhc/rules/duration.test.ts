import { describe, expect, it } from "vitest";
import { durationText } from "../../../../functions/mhc/rules/duration.ts";

describe("a duration", () => {
  it.each([
    [0, "0s"],
    [30, "30s"],
    [60, "1m0s"],
    [90, "1m30s"],
    [300, "5m0s"],
    [600, "10m0s"],
    [3_600, "1h0m0s"],
    [3_661, "1h1m1s"],
    [86_400, "24h0m0s"],
    [2_147_483_647, "596523h14m7s"],
  ])("of %i seconds is %s in Go's words", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
