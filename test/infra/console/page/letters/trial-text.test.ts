import { describe, expect, it } from "vitest";
import { trialText } from "../../../../../infra/console/page/letters/trial-text.ts";

const NONE = { succeeds: 0, "fails-as-before": 0, differs: 0, unknown: 0 };

describe("a trial in words", () => {
  it.each([
    ["3,988 would succeed, 12 fail as before", { ...NONE, succeeds: 3_988, "fails-as-before": 12 }],
    [
      "1 fails as before, 1 fails otherwise, 2 cannot be judged",
      { succeeds: 0, "fails-as-before": 1, differs: 1, unknown: 2 },
    ],
    ["", NONE],
  ])("%s", (text, verdicts) => {
    expect(trialText({ verdicts })).toBe(text);
  });
});
