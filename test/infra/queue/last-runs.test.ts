import { describe, expect, it } from "vitest";
import { createMemoryLastRuns, historyFrom, noteRuns } from "../../../infra/queue/last-runs.ts";
import { createMemoryQueue } from "../../../infra/queue/memory.ts";
import { type Kind, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import type { RecordedWrite } from "../../../shared/runtime/attempt-record.ts";
import type { LastRun } from "../../../shared/runtime/last-run.ts";
import type { Outcome } from "../../../shared/runtime/queue-port.ts";
import { virtualClock } from "../../support/clock.ts";
import { Widget } from "../../support/widget.ts";

const KEY = "default/c1|Widget|default/w";
const WRITE: RecordedWrite = {
  verb: "patch",
  cluster: MANAGEMENT,
  kind: Widget as Kind,
  key: { namespace: "default", name: "w" },
  fieldManager: "capstan-f",
  outcome: {},
};
const run = (runId: string): LastRun => ({
  runId,
  endedAt: "2026-01-01T00:00:00Z",
  durationMs: 1,
  causes: [],
  outcome: "ok",
  wrote: [],
});

describe("the last runs of a process", () => {
  it("are the newest of every function and key, and not more than fit", async () => {
    await using runs = createMemoryLastRuns(2);
    runs.note("f", "a", run("1"));
    runs.note("f", "b", run("2"));
    runs.note("f", "a", run("3"));
    runs.note("g", "a", run("4"));
    const found = await Promise.all([runs.get("f", "a"), runs.get("f", "b"), runs.get("g", "a")]);
    expect(found.map((each) => each?.runId)).toEqual(["3", undefined, "4"]);
  });

  it("Q-20: are noted at the end of every run, so that the queue shows what a key waits for", async () => {
    const clock = virtualClock();
    await using queue = createMemoryQueue({ clock });
    await using lastRuns = createMemoryLastRuns();
    const noted = noteRuns(queue, { lastRuns, clock });
    const history = historyFrom(noted, lastRuns);
    expect(await history("f", KEY)).toEqual({});
    await using _worker = await noted.work("f", { ...DEFAULT_QUEUE, owner: "w" }, async () => ({
      type: "ok",
      requested: false,
      afterMs: 60_000,
      waitingFor: "Widget.status.ready",
      fences: [],
    }));
    await noted.enqueue("f", [{ key: KEY, class: "live", cause: { what: "Widget default/w" } }]);
    await clock.advance(0);
    expect(await history("f", KEY)).toMatchObject({
      state: { state: "waiting", until: new Date(clock.now().getTime() + 60_000), failures: 0 },
      lastRun: { causes: [{ what: "Widget default/w" }], waitingFor: "Widget.status.ready" },
    });
  });

  it("Q-13: say that a run was cut off, and not what it gave after a newer one", async () => {
    const clock = virtualClock();
    const timing = { leaseMs: 1_000, renewMs: 60_000 };
    await using queue = createMemoryQueue({ clock, timing, random: () => 0 });
    await using lastRuns = createMemoryLastRuns();
    const noted = noteRuns(queue, { lastRuns, clock });
    const late = Promise.withResolvers<void>();
    let count = 0;
    await using _worker = await noted.work("f", { ...DEFAULT_QUEUE, owner: "w" }, async () => {
      count += 1;
      const [number] = [count];
      if (number === 1) await late.promise;
      return { type: "ok", requested: false, waitingFor: `run ${number}`, fences: [] };
    });
    await noted.enqueue("f", [{ key: KEY, class: "live" }]);
    await clock.advance(1_000);
    expect(await lastRuns.get("f", KEY)).toMatchObject({
      failure: { reason: "CutOff", message: "the lease expired" },
    });
    await clock.advance(100);
    expect(await lastRuns.get("f", KEY)).toMatchObject({ waitingFor: "run 2" });
    late.resolve();
    await clock.advance(0);
    expect(await lastRuns.get("f", KEY)).toMatchObject({ waitingFor: "run 2" });
  });

  it("F-14: show what a run that was cut off had written until then", async () => {
    const clock = virtualClock();
    const timing = { leaseMs: 1_000, renewMs: 60_000 };
    await using queue = createMemoryQueue({ clock, timing, random: () => 0 });
    await using lastRuns = createMemoryLastRuns();
    const noted = noteRuns(queue, { lastRuns, clock });
    const never = Promise.withResolvers<Outcome>();
    await using _worker = await noted.work("f", { ...DEFAULT_QUEUE, owner: "w" }, (lease) => {
      lease.recordFrom?.(() => ({
        runId: lease.runId,
        startedAt: clock.now(),
        durationMs: 7,
        reads: [],
        writes: [WRITE],
        accepted: true,
      }));
      return never.promise;
    });
    await noted.enqueue("f", [{ key: KEY, class: "live" }]);
    await clock.advance(1_000);
    expect(await lastRuns.get("f", KEY)).toMatchObject({
      failure: { reason: "CutOff" },
      durationMs: 7,
      wrote: ["patch Widget default/w"],
    });
    never.resolve({ type: "ok", requested: false, fences: [] });
  });
});
