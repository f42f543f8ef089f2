import { describe, expect, it } from "vitest";
import type { Run } from "../../../../../infra/console/api/runs.ts";
import { foldIdle, runText } from "../../../../../infra/console/page/history/runs.ts";
import { run } from "./run.ts";

const RUN: Run = {
  ...{ function: "f", key: "k", runId: "r", endedAt: "2026-11-23T00:00:00Z", durationMs: 1, outcome: "ok" },
  ...{ causes: [], causedBy: [], writes: [], caused: [] },
};
const write = (what: string, more: Partial<Run["writes"][number]> = {}) =>
  ({ verb: "apply", cluster: "management", what, changes: [], ...more }) as const;

describe("what a run did", () => {
  it.each([
    ["nothing to do", {}, "idle"],
    ["412 × nothing to do", { times: 412 }, "idle"],
    ["waits: Cluster.status.phase", { waitingFor: "Cluster.status.phase" }, "waits"],
    ["runs again by itself: renewal", { waitingFor: "renewal", afterMs: 9_000 }, "idle"],
    ["postponed until newer data arrived", { outcome: "again" }, "postponed"],
    [
      "failed: R: m",
      { outcome: "error", failure: { class: "Transient", reason: "R", message: "m" } },
      "failed",
    ],
    ["apply Machine/status a/b", { writes: [write("Machine a/b", { subresource: "status" })] }, "wrote"],
    [
      "apply Node n1 in a/c and 13 more",
      {
        writes: [write("Node n1", { cluster: "a/c" }), write("Node n2", { cluster: "a/c" })],
        moreWrites: 12,
      },
      "wrote",
    ],
  ] as const)("%s", (text, more, look) => {
    expect(runText({ ...RUN, ...(more as Partial<Run>) })).toEqual({ text, look });
  });
});

const anyWrite: Run["writes"][number] = {
  verb: "apply",
  cluster: "management",
  what: "Machine a/b",
  changes: [],
};
const wrote = run("f", "w1", { writes: [anyWrite] });
const idle = [run("f", "i1"), run("g", "i2", { times: 411 })];
const shown = (runs: readonly Run[], unfolded: readonly string[] = []) =>
  foldIdle(runs, new Set(unfolded)).map((row) =>
    row.type === "run" ? row.run.runId : `${row.id}: ${row.times}`,
  );

describe("idle runs", () => {
  it("next to each other are one row that says how many they are, until a person unfolds it", () => {
    expect(shown([...idle, wrote])).toEqual(["idle g i2: 412", "w1"]);
    expect(shown([...idle, wrote], ["idle g i2"])).toEqual(["i1", "i2", "w1"]);
  });

  it("a run that wrote, failed, waits or comes again is never folded, nor is a single idle one", () => {
    const others = [
      wrote,
      run("f", "e", { outcome: "error" }),
      run("f", "a", { outcome: "again" }),
      run("f", "t", { waitingFor: "Cluster.status" }),
      run("f", "r", { afterMs: 5_000 }),
    ];
    expect(shown(others.flatMap((each, at) => [each, run("f", `i${at}`)]))).toEqual([
      ...["w1", "i0", "e", "i1", "a", "i2", "t", "i3", "r", "i4"],
    ]);
    expect(shown([])).toEqual([]);
  });
});
