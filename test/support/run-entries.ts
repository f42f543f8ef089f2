import { MANAGEMENT } from "../../shared/api/kinds.ts";
import type { RunEntry } from "../../shared/runtime/letters/run-history.ts";

/** A run that had nothing to do, with what a test says about it. */
export function runEntry(endedAt: Date, given: Partial<RunEntry> = {}): RunEntry {
  return {
    runId: "r1",
    endedAt: endedAt.toISOString(),
    durationMs: 3,
    causes: [{ what: "timer" }],
    outcome: "ok",
    writes: [],
    ...given,
  };
}

/** A run that changed the status of Widget default/w. */
export function writingRun(endedAt: Date, runId: string): RunEntry {
  return runEntry(endedAt, {
    runId,
    causes: [{ what: "Widget default/w", resourceVersion: "7" }],
    writes: [
      {
        verb: "apply",
        cluster: MANAGEMENT,
        what: "Widget default/w",
        subresource: "status",
        resourceVersion: "8",
        changes: [{ path: "status.size", value: 3 }, { path: "status.message" }],
      },
    ],
  });
}
