import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countsBetween,
  DURATIONS_MS,
  durationAt,
  durationGroup,
  NO_RUNS,
  type RunCounts,
  runsIn,
} from "../../../../shared/runtime/queue/run-counts.ts";

const countsOf = (...ms: readonly number[]): RunCounts => ({
  failures: 0,
  durations: NO_RUNS.durations.map((_, group) => ms.filter((each) => durationGroup(each) === group).length),
});

describe("counts of runs", () => {
  it("put every duration into one of twelve groups", () => {
    expect([0, 5, 6, 10, 30_000, 30_001, 1e9].map(durationGroup)).toEqual([0, 0, 1, 1, 10, 11, 11]);
    expect(runsIn(countsOf(1, 7, 1e9))).toBe(3);
  });

  it("say what happened between two looks, also when the ledger has begun again", () => {
    const before = { ...countsOf(1, 1, 7), failures: 2 };
    const after = { ...countsOf(1, 1, 1, 7, 60), failures: 3 };
    expect(countsBetween(before, after)).toEqual({ ...countsOf(1, 60), failures: 1 });
    expect(countsBetween(after, before)).toEqual(before);
    expect(countsBetween(NO_RUNS, after)).toEqual(after);
  });

  it("give a duration of a share that lies in the group of the true one", () => {
    expect(durationAt(NO_RUNS, 0.5)).toBeUndefined();
    expect(durationAt(countsOf(60_000), 0.99)).toBe(30_000);
    const durations = fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(durations, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(0, Math.ceil(share * all.length) - 1)] ?? 0;
        const found = durationAt(countsOf(...all), share) ?? Number.NaN;
        const group = durationGroup(exact);
        expect(found).toBeGreaterThanOrEqual(DURATIONS_MS[group - 1] ?? 0);
        expect(found).toBeLessThanOrEqual(DURATIONS_MS[group] ?? Number.POSITIVE_INFINITY);
      }),
    );
  });
});
