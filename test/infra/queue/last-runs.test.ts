import { describe, expect, it } from "vitest";
import { createMemoryLastRuns, historyFrom, noteRuns } from "../../../infra/queue/last-runs.ts";
import { createMemoryQueue } from "../../../infra/queue/memory.ts";
import { DEFAULT_QUEUE } from "../../../shared/runtime/backoff.ts";
import type { LastRun } from "../../../shared/runtime/last-run.ts";
import { virtualClock } from "../../support/clock.ts";

const KEY = "default/c1|Widget|default/w";
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

  it("Q-20: are noted at the end of every run, so that the queue tells what a key waits for", async () => {
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
});
