import { describe, expect, it } from "vitest";
import { ageOf, formatTable } from "../../../../infra/platform/terminal/table.ts";

const NOW = new Date("2026-01-01T00:01:00Z");

describe("a table", () => {
  it("has columns as wide as their longest cell, two spaces apart, and no trailing blanks", () => {
    expect(formatTable(["NAME", "PHASE"], [["demo-pool", "Running"], ["p"]])).toBe(
      "NAME       PHASE\ndemo-pool  Running\np",
    );
  });

  it("shows its header also without rows", () => {
    expect(formatTable(["NAME", "PHASE"], [])).toBe("NAME  PHASE");
  });

  it("keeps its columns whatever a cell contains", () => {
    expect(
      formatTable(
        ["A", "B"],
        [
          ["x\ny", "1"],
          ["z", "2\u001b[2J"],
        ],
      ),
    ).toBe("A     B\nx\\ny  1\nz     2\\u001b[2J");
  });

  it("shows no age of a text that says no time", () => {
    expect([ageOf("", NOW), ageOf("soon", NOW), ageOf("2026-01-01T00:00:01Z", NOW)]).toEqual([
      "?",
      "?",
      "59s",
    ]);
  });
});
