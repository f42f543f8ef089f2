import { describe, expect, it } from "vitest";
import { limits } from "../../../../shared/rules/rollout/limits.ts";
import type { PlanSpec } from "../../../../shared/rules/rollout/plan-types.ts";

type Limit = number | string | undefined;

/** surge, unavailable, at least, at most */
function of(replicas: number, maxSurge: Limit, maxUnavailable: Limit, strategy?: PlanSpec["strategy"]) {
  const { surge, unavailable, atLeast, atMost } = limits({
    ...{ replicas, maxSurge, maxUnavailable },
    strategy: strategy ?? "RollingUpdate",
  });
  return [surge, unavailable, atLeast, atMost];
}

describe("limits of a rollout", () => {
  it("are one Machine more and none unavailable by default", () => {
    expect(of(3, undefined, undefined)).toEqual([1, 0, 3, 4]);
  });

  it("round percentages of surge up and of unavailable Machines down", () => {
    expect(of(3, "34%", "34%")).toEqual([2, 1, 2, 5]);
    expect(of(10, "25%", "25%")).toEqual([3, 2, 8, 13]);
    expect(of(4, "150%", "0%")).toEqual([6, 0, 4, 10]);
  });

  it("let one Machine be unavailable when both come to nothing", () => {
    expect(of(3, 0, 0)).toEqual([0, 1, 2, 3]);
    expect(of(3, "0%", "10%")).toEqual([0, 1, 2, 3]);
  });

  it("let no more Machines be unavailable than are wanted", () => {
    expect(of(3, 0, 10)).toEqual([0, 3, 0, 3]);
    expect(of(0, 0, 5)).toEqual([0, 0, 0, 0]);
    expect(of(0, 2, 0)).toEqual([2, 0, 0, 2]);
    expect(of(0, "50%", 0)).toEqual([0, 0, 0, 0]);
  });

  it("take a text that is not a percentage for nothing", () => {
    expect(of(3, "2", "10.5%")).toEqual([0, 1, 2, 3]);
  });

  it("are the wish itself with OnDelete", () => {
    expect(of(3, 2, 2, "OnDelete")).toEqual([0, 0, 3, 3]);
  });
});
