import { describe, expect, it } from "vitest";
import { sideBySide } from "../../../../infra/cli/replay/replay.ts";
import { ageOf } from "../../../../infra/platform/terminal/table.ts";

const patch = (value: string) => ({
  result: "done",
  ok: true,
  requests: [{ title: "patch Thing default/a", body: [{ op: "add", path: "/spec/a", value }] }],
  digest: "sha256:0",
});

describe("a decision then and now", () => {
  it("stands side by side, with a mark where it differs", () => {
    const lines = sideBySide(patch("old"), patch("new"), 83);
    expect(lines.filter((line) => line.includes(" | "))).toHaveLength(1);
    expect(lines.find((line) => line.includes(" | "))).toMatch(/value: old +\| +value: new/);
    expect(sideBySide(patch("same"), patch("same"), 83).join("\n")).not.toContain(" | ");
  });

  it("breaks lines that are wider than the terminal, and cuts the end of what is very long", () => {
    const long = sideBySide(patch(`${"x".repeat(500)}end`), patch("y"), 63).join("\n");
    expect(long).toMatch(/x+end\b/);
    for (const line of long.split("\n")) expect(line.length).toBeLessThanOrEqual(63);
    const many = {
      ...patch("x"),
      requests: [{ title: "a", body: Array.from({ length: 5_000 }, (_, n) => n) }],
    };
    expect(sideBySide(many, many).at(-1)).toMatch(/more lines; use -o json/);
  });
});

it.each([
  [-5, "0s"],
  [59, "59s"],
  [600, "10m"],
  [10_000, "2h"],
  [400_000, "4d"],
])("%d seconds are %s", (seconds, age) => {
  const now = new Date("2026-01-10T00:00:00Z");
  expect(ageOf(new Date(now.getTime() - seconds * 1_000).toISOString(), now)).toBe(age);
});
