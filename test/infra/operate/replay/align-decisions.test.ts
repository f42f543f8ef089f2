import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { align, linesOfDecision } from "../../../../infra/operate/replay/align-decisions.ts";

describe("two decisions side by side", () => {
  it("lose no line of either side and keep their order", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (left, right) => {
        const rows = align(left, right);
        expect(rows.flatMap((row) => row.left ?? [])).toEqual(left);
        expect(rows.flatMap((row) => row.right ?? [])).toEqual(right);
      }),
    );
  });

  it("say what a decision sends, then its result", () => {
    const requests = [{ title: "patch Thing default/a", body: { spec: { a: 1 } } }];
    expect(linesOfDecision({ result: "done", ok: true, requests, digest: "" })).toEqual([
      "patch Thing default/a",
      "  spec:",
      "    a: 1",
      "result: done",
    ]);
    expect(linesOfDecision({ result: "failed A: b\nc", ok: false, requests: [], digest: "" })).toEqual([
      "sends nothing",
      "result: failed A: b",
      "c",
    ]);
  });
});
