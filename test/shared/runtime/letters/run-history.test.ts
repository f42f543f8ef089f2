import { describe, expect, it } from "vitest";
import { foldRuns, type RunEntry } from "../../../../shared/runtime/letters/run-history.ts";
import { runEntry, writingRun } from "../../../support/run-entries.ts";

const at = (second: number): Date => new Date(1_000 * second);

describe("runs in a row", () => {
  it("are one entry when they had nothing to do, or wait for the same", () => {
    const [first, second] = [runEntry(at(1)), runEntry(at(2), { runId: "r2", causes: [{ what: "resync" }] })];
    const both = foldRuns(first, second) as RunEntry;
    expect(both).toEqual({ ...second, times: 2, since: first.endedAt });
    expect(foldRuns(both, runEntry(at(3)))).toEqual({ ...runEntry(at(3)), times: 3, since: first.endedAt });
    expect(foldRuns(runEntry(at(0)), both)).toMatchObject({ times: 3, since: runEntry(at(0)).endedAt });
    const [soon, later] = [5_000, 4_000].map((afterMs) =>
      runEntry(at(1), { afterMs, waitingFor: "a delay" }),
    );
    expect(soon && later && foldRuns(soon, later)).toMatchObject({ times: 2, afterMs: 4_000 });
  });

  it("stand by themselves when they wrote or failed, or wait for something else", () => {
    const failure = { class: "Transient", reason: "Odd", message: "odd" } as const;
    const failed = runEntry(at(1), { outcome: "error", failure });
    const wrote = writingRun(at(1), "r1");
    const waits = (waitingFor: string) => runEntry(at(1), { waitingFor });
    const pairs: readonly (readonly [RunEntry, RunEntry])[] = [
      [failed, failed],
      [wrote, wrote],
      [waits("a"), waits("b")],
      [waits("a"), runEntry(at(1))],
      [runEntry(at(1)), runEntry(at(1), { outcome: "again" })],
    ];
    expect(pairs.map(([earlier, later]) => foldRuns(earlier, later))).toEqual(pairs.map(() => undefined));
  });
});
