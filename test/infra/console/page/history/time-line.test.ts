import { describe, expect, it } from "vitest";
import { foldIdle } from "../../../../../infra/console/page/history/runs.ts";
import {
  neighboursOf,
  stepBetween,
  timedColumns,
  timeLineOf,
} from "../../../../../infra/console/page/history/time-line.ts";
import { run } from "./run.ts";

const place = (name: string, runId: string) => ({ function: name, key: "k", runId });
const cause = run("sync", "s1", { outcome: "error", caused: [place("status", "t1")] });
const effect = run("status", "t1", {
  outcome: "error",
  causedBy: [null, place("sync", "s1")],
  caused: [place("adopt", "i2"), place("elsewhere", "x")],
});
/** Newest first, as the API has them. */
const RUNS = [run("status", "i1"), run("adopt", "i2"), effect, cause];
const line = timeLineOf(foldIdle(RUNS, new Set()));
const idsOf = (marks: readonly (typeof line.marks)[number][]) => marks.map(({ runs }) => runs[0]?.runId);

describe("the time line of runs", () => {
  it("has a lane for each function and a column for each row, in their order", () => {
    expect(line.lanes).toEqual(["sync", "status", "adopt"]);
    expect(line.columns).toBe(3);
    expect(line.marks.map(({ column, lane, runs }) => [column, lane, runs[0]?.runId])).toEqual([
      [0, 0, "s1"],
      [1, 1, "t1"],
      [2, 1, "i1"],
      [2, 2, "i2"],
    ]);
  });

  it("knows the runs that caused one, and those that it caused, as far as they are on the page", () => {
    const { causes, effects } = neighboursOf(line, effect);
    expect([idsOf(causes), idsOf(effects)]).toEqual([["s1"], ["i2"]]);
  });

  it("gives a pause a column, which says how long it was", () => {
    const at = (runId: string, endedAt: string) => run("f", runId, { outcome: "error", endedAt });
    const rows = [
      at("c", "2026-01-01T02:00:05Z"),
      at("b", "2026-01-01T02:00:00Z"),
      at("a", "2026-01-01T00:00:00Z"),
    ];
    const { columns, marks, pauses } = timeLineOf(foldIdle(rows, new Set()));
    expect([columns, pauses]).toEqual([4, [{ column: 1, ms: 7_200_000 }]]);
    expect(marks.map(({ column, runs }) => [column, runs[0]?.runId])).toEqual([
      [0, "a"],
      [2, "b"],
      [3, "c"],
    ]);
  });

  it("has times that lie neither upon each other nor upon a pause", () => {
    const pauses = [3, 5, 12].map((column) => ({ column, ms: 60_000 }));
    expect(timedColumns({ columns: 15, pauses })).toEqual([0, 4, 8, 13]);
    expect(timedColumns({ columns: 0, pauses: [] })).toEqual([]);
  });

  it("is walked by the arrow keys: in time, and to the nearest run of the next lane", () => {
    const walk = (keys: readonly string[]) => keys.reduce((at, key) => stepBetween(line, at, key) ?? at, 0);
    expect(walk(["ArrowRight"])).toBe(1);
    expect(walk(["ArrowLeft"])).toBe(0);
    expect(walk(["End"])).toBe(3);
    expect(walk(["End", "ArrowUp"])).toBe(2);
    expect(walk(["End", "ArrowUp", "ArrowUp"])).toBe(0);
    expect(walk(["ArrowDown"])).toBe(1);
    expect(walk(["ArrowUp"])).toBe(0);
    expect(stepBetween(line, 0, "x")).toBeUndefined();
    expect(stepBetween(timeLineOf([]), 0, "End")).toBeUndefined();
  });

  it("draws the newest 200 rows", () => {
    const many = Array.from({ length: 450 }, (_, at) => run("f", `r${at}`, { outcome: "error" }));
    const { columns, marks } = timeLineOf(foldIdle(many, new Set()));
    expect([columns, marks.at(-1)?.runs[0]?.runId]).toEqual([200, "r0"]);
  });
});
