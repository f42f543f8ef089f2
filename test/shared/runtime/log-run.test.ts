import { describe, expect, it } from "vitest";
import { createLog } from "../../../infra/worker/telemetry/log.ts";
import { type AnyFunction, defineFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { logRun } from "../../../shared/runtime/log-run.ts";
import type { Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import type { RecordingReader } from "../../../shared/runtime/read/reader.ts";
import { virtualClock } from "../../support/clock.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { Widget } from "../../support/widget.ts";
import { NOW } from "../../support/world.ts";

const grow: AnyFunction = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const failure = { class: "Transient", reason: "Error", message: "no" } as const;
const error: Outcome = { type: "error", failure, terminal: false, requested: false, fences: [] };
const ok: Outcome = { type: "ok", requested: true, fences: [] };

function lineOf(
  outcome: Outcome,
  { requests = 1, failures = 0, records = [] as ReturnType<RecordingReader["records"]> } = {},
) {
  const { log, lines } = recordingLog();
  const { signal } = new AbortController();
  const lease = { key: "k", runId: "r1", causes: [], failures, retries: 0, fences: [], signal };
  const read = { records: () => records } as unknown as RecordingReader;
  logRun(grow, lease, { clock: virtualClock(NOW), log }, { startedAt: NOW, read, requests, outcome });
  return lines[0];
}

describe("the line of a run", () => {
  it.each([
    [ok, 0, "on an event"],
    [{ ...ok, afterMs: 5_000 }, 0, "in 5000 ms"],
    [{ type: "retry", afterMs: 100, fences: [] }, 0, "in 100 ms"],
    [error, 0, "after the backoff of failure 1 of 16"],
    [error, 15, "in 10 to 15 minutes, or when the object changes"],
    [{ ...error, terminal: true }, 0, "in 10 to 15 minutes, or when the object changes"],
  ] satisfies [Outcome, number, string][])(
    "of %j after %i failures says that the next run is %s",
    (outcome, failures, next) => {
      expect(lineOf(outcome, { failures })?.fields).toMatchObject({ run: "r1", next });
    },
  );

  it("is a warning for a failure, info for a run that wrote, debug for any other", () => {
    const levels = [lineOf(error), lineOf(ok), lineOf(ok, { requests: 0 })].map((line) => line?.level);
    expect(levels).toEqual(["warn", "info", "debug"]);
  });

  it("makes no text of what was read for a level that is not logged", () => {
    const { signal } = new AbortController();
    const lease = { key: "k", runId: "r1", causes: [], failures: 0, retries: 0, fences: [], signal };
    let asked = 0;
    const records = () => {
      asked += 1;
      return [];
    };
    const read = { records } as unknown as RecordingReader;
    const run = { startedAt: NOW, read, requests: 1, outcome: ok };
    for (const [level, expected] of [
      ["error", 0],
      ["info", 1],
    ] as const) {
      const log = createLog(level, { write: () => undefined });
      logRun(grow, lease, { clock: virtualClock(NOW), log }, run);
      expect(asked).toBe(expected);
    }
  });

  it("names the versions that were read, at most ten of a list", () => {
    const node = { source: "snapshot", cluster: "default/c1", kind: "Node", what: "{}" } as const;
    const versions = Array.from({ length: 12 }, (_, n) => String(n));
    const line = lineOf(ok, {
      records: [
        { ...node, resourceVersions: versions },
        { ...node, kind: "Secret", what: "default/s", source: "live", resourceVersions: ["9"] },
        { ...node, kind: "Cluster", what: "default/c1", resourceVersions: [] },
      ],
    });
    expect(line?.fields).toMatchObject({
      read: ["Node {} (12)@0 1 2 3 4 5 6 7 8 9 …", "live Secret default/s@9", "Cluster default/c1: none"],
    });
  });
});
