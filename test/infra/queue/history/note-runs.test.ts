import { describe, expect, it } from "vitest";
import { createMemoryRunHistory } from "../../../../infra/queue/backends/embedded/history.ts";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { historyFrom } from "../../../../infra/queue/history/key-history.ts";
import { noteRuns } from "../../../../infra/queue/history/note-runs.ts";
import { type Kind, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { DEFAULT_QUEUE } from "../../../../shared/function/backoff.ts";
import type { RecordedWrite } from "../../../../shared/runtime/attempt-record.ts";
import type { Outcome } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { Widget } from "../../../support/widget.ts";

const KEY = "default/c1|Widget|default/w";
const WRITE: RecordedWrite = {
  verb: "patch",
  cluster: MANAGEMENT,
  kind: Widget as Kind,
  key: { namespace: "default", name: "w" },
  fieldManager: "capstan-f",
  outcome: {},
};
const MAX_BYTES = 100_000;

describe("the runs of workers", () => {
  it("Q-20: are noted at the end of every run, so that the queue shows what a key waits for", async () => {
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using runs = createMemoryRunHistory({ clock, maxBytes: MAX_BYTES });
    const noted = noteRuns(queue, { history: runs, clock });
    const history = historyFrom(noted, runs);
    expect(await history("f", KEY)).toEqual({});
    await using _worker = await noted.work("f", { ...DEFAULT_QUEUE, owner: "w" }, async () => ({
      type: "ok",
      requested: false,
      afterMs: 60_000,
      waitingFor: "Widget.status.ready",
      fences: [],
    }));
    await noted.enqueue("f", [{ key: KEY, priority: "live", cause: { what: "Widget default/w" } }]);
    await clock.advance(0);
    expect(await history("f", KEY)).toMatchObject({
      state: { state: "waiting", until: new Date(clock.now().getTime() + 60_000), failures: 0 },
      lastRun: { causes: [{ what: "Widget default/w" }], waitingFor: "Widget.status.ready" },
    });
  });

  it("Q-13: say that a run was cut off, and not what it gave after a newer one", async () => {
    const clock = virtualClock();
    const timing = { leaseMs: 1_000, renewMs: 60_000 };
    await using queue = await createMemoryQueue({ clock, timing, random: () => 0 });
    await using runs = createMemoryRunHistory({ clock, maxBytes: MAX_BYTES });
    const noted = noteRuns(queue, { history: runs, clock });
    const late = Promise.withResolvers<void>();
    let count = 0;
    await using _worker = await noted.work("f", { ...DEFAULT_QUEUE, owner: "w" }, async () => {
      count += 1;
      const [number] = [count];
      if (number === 1) await late.promise;
      return { type: "ok", requested: false, waitingFor: `run ${number}`, fences: [] };
    });
    await noted.enqueue("f", [{ key: KEY, priority: "live" }]);
    await clock.advance(1_000);
    expect((await runs.runs("f", KEY))[0]).toMatchObject({
      failure: { reason: "CutOff", message: "the lease expired" },
    });
    // The backoff has up to a tenth of jitter.
    await clock.advance(110);
    expect((await runs.runs("f", KEY))[0]).toMatchObject({ waitingFor: "run 2" });
    late.resolve();
    await clock.advance(0);
    expect((await runs.runs("f", KEY))[0]).toMatchObject({ waitingFor: "run 2" });
  });

  it("show what a run that was cut off had written until then", async () => {
    const clock = virtualClock();
    const timing = { leaseMs: 1_000, renewMs: 60_000 };
    await using queue = await createMemoryQueue({ clock, timing, random: () => 0 });
    await using runs = createMemoryRunHistory({ clock, maxBytes: MAX_BYTES });
    const noted = noteRuns(queue, { history: runs, clock });
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
    await noted.enqueue("f", [{ key: KEY, priority: "live" }]);
    await clock.advance(1_000);
    expect((await runs.runs("f", KEY))[0]).toMatchObject({
      failure: { reason: "CutOff" },
      durationMs: 7,
      writes: [{ verb: "patch", what: "Widget default/w" }],
    });
    never.resolve({ type: "ok", requested: false, fences: [] });
  });

  it("are not looked at when the history is off", async () => {
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    expect(noteRuns(queue, { history: undefined, clock })).toBe(queue);
    expect(await historyFrom(queue, undefined)("f", KEY)).toEqual({});
  });
});
