import { describe, expect, it } from "vitest";
import { jobText, jobTitle } from "../../../../../infra/console/page/actions/job-text.ts";

const JOB = { action: "requeue", state: "running", total: 198, done: 98, changed: 0 } as const;

describe("a bulk action in words", () => {
  it.each([
    ["Running: 98 requeued", JOB],
    ["Running: 98 requeued, 1 had changed and was left alone", { ...JOB, changed: 1 }],
    ["Stopped: 98 requeued, 100 are left", { ...JOB, state: "stopped" }],
    [
      "Failed: 98 dropped, 99 had changed and were left alone, 1 is left",
      { ...JOB, action: "drop", state: "failed", changed: 99 },
    ],
    ["Done: 198 requeued", { ...JOB, state: "done", done: 198 }],
  ] as const)("%s", (text, job) => {
    expect(jobText(job)).toBe(text);
  });

  it("names what it does and for how many", () => {
    expect(jobTitle(JOB)).toBe("Requeue of 198 letters");
    expect(jobTitle({ action: "drop", total: 1 })).toBe("Drop of 1 letter");
  });
});
