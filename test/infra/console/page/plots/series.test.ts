import { describe, expect, it } from "vitest";
import type { SamplesAnswer } from "../../../../../infra/console/api/queue.ts";
import {
  hourRows,
  isKnown,
  loneValues,
  rateText,
  summaryOf,
} from "../../../../../infra/console/page/plots/series.ts";

const SAMPLES: SamplesAnswer = {
  asOf: "2026-11-23T00:00:30Z",
  function: "f",
  stepMs: 10_000,
  from: "2026-11-23T00:00:00Z",
  ready: [null, 4, 0],
  waiting: [null, 1, 1],
  running: [null, 2, 0],
  dead: [null, 0, 3],
  oldestReadyMs: [null, 900, 0],
  runs: [null, null, 25],
  failures: [null, null, 5],
  p50Ms: [null, null, 4.2],
  p99Ms: [null, null, 900],
};

describe("the last hour of a function", () => {
  it("has a row for each step, with rates per second; a gap stays a gap", () => {
    const rows = hourRows(SAMPLES);
    expect(rows.map(({ atMs }) => new Date(atMs).toISOString().slice(17, 19))).toEqual(["00", "10", "20"]);
    expect(rows[0]).toMatchObject({ runsPerSecond: null, ready: null });
    expect(rows[1]).toMatchObject({ runsPerSecond: null, ready: 4, running: 2 });
    expect(rows[2]).toMatchObject({
      runsPerSecond: 2.5,
      failuresPerSecond: 0.5,
      p50Ms: 4.2,
      p99Ms: 900,
      dead: 3,
    });
    expect([isKnown(rows), isKnown(rows.slice(0, 1)), isKnown([])]).toEqual([true, false, false]);
  });

  it("is summed up in words for those who do not see the plot", () => {
    const rows = hourRows(SAMPLES);
    expect(summaryOf(rows, "ready")).toEqual({ newest: 0, greatest: 4 });
    expect(summaryOf(rows.slice(0, 1), "ready")).toEqual({ newest: undefined, greatest: undefined });
    expect([0, 0.123_45, 12_345].map(rateText)).toEqual(["0", "0.123", "12,300"]);
  });
});

it("are those without a known neighbour", () => {
  expect(loneValues([1, null, 2, 3, null, 4, undefined, 0])).toEqual([0, 5, 7]);
  expect(loneValues([null, null])).toEqual([]);
  expect(loneValues([5])).toEqual([0]);
  expect(loneValues([])).toEqual([]);
});
