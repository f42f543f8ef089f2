import { describe, expect, it } from "vitest";
import { ageSince } from "../../../../../infra/playground/apiserver/kinds/core-columns.ts";

const now = new Date("2026-01-01T00:00:00Z");
const agoSeconds = (seconds: number) => new Date(now.getTime() - seconds * 1_000).toISOString();

describe("ages", () => {
  it.each([
    [0, "0s"],
    [119, "119s"],
    [200, "3m20s"],
    [600, "10m"],
    [4 * 3_600 + 300, "4h5m"],
    [9 * 3_600, "9h"],
    [52 * 3_600, "2d4h"],
    [30 * 86_400, "30d"],
    [800 * 86_400, "2y70d"],
    [9 * 365 * 86_400, "9y"],
  ])("of %i s are printed as %s", (seconds, text) => {
    expect(ageSince(agoSeconds(seconds), now)).toBe(text);
  });

  it("are unknown without a time and invalid in the future", () => {
    expect(ageSince(undefined, now)).toBe("<unknown>");
    expect(ageSince(agoSeconds(-60), now)).toBe("<invalid>");
  });
});
