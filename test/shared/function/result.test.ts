import { describe, expect, it } from "vitest";
import { done, failed, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";

describe("the sooner of two results", () => {
  it.each([
    [done, waitFor("Cluster"), waitFor("Cluster")],
    [requeueAfter(5, "timer"), waitFor("Cluster"), requeueAfter(5, "timer")],
    [requeueAfter(5, "a"), requeueAfter(3, "b"), requeueAfter(3, "b")],
    [failed("Bad", "no"), requeueAfter(1, "timer"), failed("Bad", "no")],
    [done, done, done],
  ])("of %j and %j is %j, in either order", (a, b, expected) => {
    expect(soonest(a, b)).toEqual(expected);
    expect(soonest(b, a)).toEqual(expected);
  });

  it("never requeues into the past", () => {
    expect(requeueAfter(-5, "late")).toEqual({ type: "requeue", afterMs: 0, why: "late" });
  });
});
