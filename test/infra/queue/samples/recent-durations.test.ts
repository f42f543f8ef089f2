import { expect, it } from "vitest";
import { recentDurations } from "../../../../infra/queue/samples/recent-durations.ts";
import { durationGroup, NO_RUNS } from "../../../../shared/runtime/queue/run-counts.ts";

/** A sample by which so many runs have taken so long. */
const sample = (at: number, runs: { readonly [ms: number]: number }) => ({
  ...{ at, ready: 0, waiting: 0, running: 0, dead: 0, oldestReadyMs: 0, failures: 0 },
  durations: NO_RUNS.durations.map((_, group) =>
    Object.entries(runs).reduce(
      (sum, [ms, count]) => sum + (durationGroup(Number(ms)) === group ? count : 0),
      0,
    ),
  ),
});

it("says how long half of the runs and 99 of 100 took between two samples", () => {
  const found = recentDurations([
    sample(0, { 8: 50, 900: 7 }),
    sample(10, { 8: 90 }),
    sample(60, { 8: 148, 900: 9 }),
  ]);
  expect(found?.runs).toBe(100);
  expect(found?.p50Ms).toBeCloseTo(7.5, 0);
  expect(found?.p99Ms).toBe(750);
});

it("says nothing without two samples, or without a run between them", () => {
  expect(recentDurations([])).toBeUndefined();
  expect(recentDurations([sample(0, { 8: 50 })])).toBeUndefined();
  expect(recentDurations([sample(0, { 8: 50 }), sample(10, { 8: 50 })])).toBeUndefined();
});
