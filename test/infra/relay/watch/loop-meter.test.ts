import { describe, expect, it } from "vitest";
import { createLoopMeter } from "../../../../infra/relay/watch/loop-meter.ts";
import { virtualClock } from "../../../support/clock.ts";
import { thing } from "../watching.ts";

function writtenBy(...entries: readonly { readonly manager: string; readonly time: string }[]) {
  const object = thing("a", "7");
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}

describe("what a watch loop counts (KR-23)", () => {
  it("KR-23: bytes, events by type, and when it heard what", async () => {
    const clock = virtualClock();
    const meter = createLoopMeter(clock);
    meter.received(100);
    await clock.advance(1_000);
    meter.listed();
    meter.handled({ type: "ADDED", object: thing("a", "7") });
    meter.handled({ type: "DELETED", object: thing("a", "8") });
    await clock.advance(1_000);
    meter.handled({ type: "BOOKMARK", object: thing("", "9") });
    const now = clock.now().getTime();
    expect(meter.traffic).toEqual({
      lists: 1,
      events: 2,
      eventsByType: { ADDED: 1, MODIFIED: 0, DELETED: 1, BOOKMARK: 1 },
      bytes: 100,
      lastByteAt: now - 2_000,
      lastEventAt: now - 1_000,
      lastHeardAt: now,
      lagMs: undefined,
    });
  });

  it("KR-23: takes the last write of our own for the probe of the lag, and no write of others", async () => {
    const clock = virtualClock(new Date("2026-01-01T00:00:05Z"));
    const meter = createLoopMeter(clock);
    const ours = { manager: "capstan-machinepool-status", time: "2026-01-01T00:00:02Z" };
    const theirs = { manager: "kubectl", time: "2026-01-01T00:00:01Z" };
    meter.handled({ type: "MODIFIED", object: writtenBy(ours, theirs) });
    expect(meter.traffic.lagMs).toBe(3_000);
    meter.handled({ type: "MODIFIED", object: writtenBy(ours, { ...theirs, time: "2026-01-01T00:00:04Z" }) });
    meter.handled({ type: "DELETED", object: writtenBy(ours) });
    meter.handled({ type: "MODIFIED", object: writtenBy({ ...ours, time: "yesterday" }) });
    expect(meter.traffic.lagMs).toBe(3_000);
  });
});
