import { describe, expect, it } from "vitest";
import type { Run } from "../../../../../infra/console/api/runs.ts";
import { runText } from "../../../../../infra/console/page/history/run-text.ts";

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
