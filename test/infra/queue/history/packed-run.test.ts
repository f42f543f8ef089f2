import { describe, expect, it } from "vitest";
import { packRun, unpackRun } from "../../../../infra/queue/history/packed-run.ts";
import type { RunEntry } from "../../../../shared/runtime/letters/run-history.ts";
import { runEntry, writingRun } from "../../../support/run-entries.ts";

const now = new Date(0);

describe("a packed run", () => {
  it("is the same run when it is unpacked", () => {
    const [write] = writingRun(now, "r1").writes;
    if (write === undefined) throw new Error("it wrote");
    const { resourceVersion: _, ...unanswered } = write;
    const full: RunEntry = {
      ...writingRun(now, "r1"),
      outcome: "error",
      causes: [{ what: "timer" }, { what: "Node n1", resourceVersion: "9" }],
      writes: [unanswered, { ...write, what: "Widget default/v", moreChanges: 2 }],
      moreWrites: 3,
      read: [{ what: "Node", cluster: "default/c1", resourceVersion: "9", items: 4, live: true }],
      moreRead: 1,
      waitingFor: "Widget.status.size",
      afterMs: 0,
      failure: { class: "Transient", reason: "Odd", message: 'it is "odd"\n' },
      times: 2,
      since: "1969-12-31T23:59:59.000Z",
    };
    for (const run of [full, runEntry(now), writingRun(now, "r2")]) {
      expect(unpackRun(packRun(run))).toStrictEqual(run);
    }
  });

  it("shares its longest text with runs that did the same for other objects", () => {
    const [first, second] = ["a", "b"].map((name) => {
      const run = JSON.stringify(writingRun(now, name)).replaceAll("default/w", `default/${name}`);
      return packRun(JSON.parse(run));
    });
    expect(first?.own).not.toBe(second?.own);
    expect(first?.deed).toBe(second?.deed);
    expect(packRun(runEntry(now)).deed).not.toBe(packRun(runEntry(now, { waitingFor: "Widget.spec" })).deed);
  });
});
