import { describe, expect, it } from "vitest";
import { sourcesIn } from "../support/sources.ts";
import { reasonsIn, unlistedReasons } from "./functions/reasons.ts";

const sources = [
  ...(await sourcesIn("{functions,infra/playground/functions}")),
  ...(await sourcesIn("shared/rules")),
];

describe("every reason that users see", () => {
  it("is in the table of reasons", () => {
    expect(unlistedReasons(sources)).toEqual([]);
  });

  it("is found wherever it is written down", () => {
    const code = `
      condition("Ready", "True", "A1"); condition(type, status, good ? "A2" : "A3", text);
      failed("B1", message); throw new TerminalError("B2", message); ifFails: { event: "E1" }
      events: [{ type: "Warning", reason: "C1", message }], reasons: { issue: "D1", unknown: "D2", good: "D3" }`;
    const found = ["A1", "A2", "A3", "B1", "B2", "C1", "D1", "D2", "D3", "E1"];
    expect(reasonsIn(code)).toEqual(new Set(found));
    expect(new Set(sources.flatMap((source) => [...reasonsIn(source.code)])).size).toBeGreaterThan(20);
  });
});
