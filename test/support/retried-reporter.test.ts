import { describe, expect, it } from "vitest";
import { type Retried, unsteady } from "./retried-reporter.ts";

function ran(fullName: string, flaky: boolean): Retried {
  return {
    fullName,
    diagnostic: () => ({ flaky }),
    result: () => ({ errors: flaky ? [{ message: "expected 1 to be 2", diff: "- 2\n+ 1" }] : undefined }),
  };
}

describe("the list of tests that were run once more", () => {
  it("names each with its first failure, and no other", () => {
    expect(unsteady([ran("a pool > runs", false), ran("a set > scales", true)])).toEqual([
      "Passed only once more: a set > scales",
      "  expected 1 to be 2",
      "- 2\n+ 1",
    ]);
  });
});
