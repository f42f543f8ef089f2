import { describe, expect, it } from "vitest";
import { summaryOf } from "../../../../shared/rules/conditions/summary.ts";

const REASONS = { issue: "Bad", unknown: "Who", good: "Fine" };
const A = { type: "A", weight: "unknown", text: "wait" } as const;
const B = { type: "B", weight: "issue", text: "one\ntwo" } as const;
const C = { type: "C", weight: "good", text: "by the way" } as const;

describe("summaryOf", () => {
  it.each([
    ["issues before unknown, and nothing of the good", [A, B, C], "False Bad * B:\n  one\n  two\n* A: wait"],
    ["what is unknown when nothing is bad", [C, A], "Unknown Who * A: wait"],
    ["words of good parts when all are good", [C, { ...C, text: "" }], "True Fine * C: by the way"],
    ["nothing to say", [], "True Fine "],
  ])("says %s", (_, parts, words) => {
    const { status, reason, message } = summaryOf(parts, REASONS);
    expect(`${status} ${reason} ${message}`).toBe(words);
  });
});
