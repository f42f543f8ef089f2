import type { Run } from "../../../../../infra/console/api/runs.ts";

/** A run that had nothing to do, unless `more` says otherwise. */
export function run(functionName: string, runId: string, more: Partial<Run> = {}): Run {
  return {
    ...{
      function: functionName,
      runId,
      key: "a/c|Machine|a/b",
      endedAt: "2026-11-23T00:00:00Z",
      durationMs: 1,
    },
    ...{ outcome: "ok", causes: [], causedBy: [], writes: [], caused: [] },
    ...more,
  };
}
