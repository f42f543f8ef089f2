import { describe, expect, it } from "vitest";
import { formatTable, paint } from "../../../infra/cli/table.ts";

describe("a table", () => {
  it("has columns as wide as their longest cell, two spaces apart, and no trailing blanks", () => {
    expect(formatTable(["NAME", "PHASE"], [["demo-pool", "Running"], ["p"]])).toBe(
      "NAME       PHASE\ndemo-pool  Running\np",
    );
  });

  it("shows its header also without rows", () => {
    expect(formatTable(["NAME", "PHASE"], [])).toBe("NAME  PHASE");
  });

  it("has no colours where standard output is no terminal", () => {
    expect(paint("green", "True")).toBe("True");
  });
});
