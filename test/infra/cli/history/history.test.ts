import { describe, expect, it } from "vitest";
import { historyTable, type NotedRun } from "../../../../infra/cli/history/history.ts";
import { shown } from "../../../../infra/platform/terminal/paint.ts";
import type { RunEntry } from "../../../../shared/runtime/letters/run-history.ts";
import { runEntry, writingRun } from "../../../support/run-entries.ts";

const AT = new Date("2026-01-01T12:00:00.123Z");

/** The cells of each row. */
function cellsOf(...runs: readonly RunEntry[]): readonly (readonly string[])[] {
  const noted = runs.map((run): NotedRun => ({ function: "widget-grow", key: "k", ...run }));
  const [header = "", ...rows] = historyTable(noted).map((line) => shown(line));
  expect(header.split(/ {2,}/)).toEqual(["TIME", "FUNCTION", "CAUSE", "OUTCOME", "WRITES", "NEXT"]);
  return rows.map((row) => row.trim().split(/ {2,}/));
}

describe("the table of capstan history", () => {
  it("says why a run came, what it wrote and made of it, and when the next one comes", () => {
    expect(cellsOf(writingRun(AT, "r1"))).toEqual([
      [
        "2026-01-01T12:00:00Z",
        "widget-grow",
        "Widget default/w@7",
        "wrote",
        "apply Widget/status default/w@8: status.size=3, status.message",
        "on an event",
      ],
    ]);
    const [first] = writingRun(AT, "r1").writes;
    if (first === undefined) throw new Error("it writes nothing");
    const changes = ["a", "b", "c", "d"].map((path) => ({ path }));
    const many = runEntry(AT, {
      causes: [{ what: "Node n1", resourceVersion: "5" }, { what: "timer" }],
      writes: [
        { ...first, subresource: undefined, changes, moreChanges: 2 },
        { ...first, verb: "delete", cluster: "default/c1", resourceVersion: undefined, changes: [] },
        { ...first, verb: "patch", changes: [{ path: "spec.size", removed: true }] },
      ],
      moreWrites: 4,
      waitingFor: "Node.metadata.uid",
    });
    const [row, ...more] = cellsOf(many);
    expect(row?.slice(2)).toEqual([
      "Node n1@5 and 1 more",
      "wrote, waits for Node.metadata.uid",
      "apply Widget default/w@8: a, b, c and 3 more",
      "on an event",
    ]);
    expect(more).toEqual([
      ["delete Widget/status default/w in default/c1"],
      ["patch Widget/status default/w@8: spec.size removed"],
      ["and 4 more"],
    ]);
  });

  it("counts idle runs in one line", () => {
    const idle = cellsOf(
      runEntry(AT, { times: 412 }),
      runEntry(AT),
      runEntry(AT, { waitingFor: "Cluster.spec.paused", times: 2 }),
      runEntry(AT, { waitingFor: "a delay", afterMs: 5_000 }),
      runEntry(AT, { outcome: "again", afterMs: 100 }),
    );
    expect(idle.map((cells) => cells.slice(3))).toEqual([
      ["412 × nothing to do", "on an event"],
      ["nothing to do", "on an event"],
      ["2 × waits for Cluster.spec.paused", "on an event"],
      ["a delay", "after 5.0s"],
      ["not up to date", "after 0.1s"],
    ]);
  });

  it("S-21: shows a failure in one line, and what follows from it", () => {
    const failed = (failure: RunEntry["failure"]) => runEntry(AT, { outcome: "error", failure });
    const rows = cellsOf(
      failed({ class: "Transient", reason: "NoAnswer", message: "no answer\nwithin 10 s" }),
      failed({ class: "Terminal", reason: "Conflict", message: "it is not ours" }),
    );
    expect(rows.map((cells) => cells.slice(3))).toEqual([
      [expect.stringMatching(/^NoAnswer: no answer.*within 10 s$/), "again with backoff"],
      ["Conflict: it is not ours", "in 10 to 15 minutes, or when its object changes"],
    ]);
  });
});
