import { describe, expect, it } from "vitest";
import { startLeaseHold } from "../../../infra/relay/lease-hold.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { virtualClock } from "../../support/clock.ts";

const HOLD_MS = 10 * SECOND;

function begin() {
  const clock = virtualClock();
  let setMs = 0;
  const own = { now: () => new Date(clock.now().getTime() + setMs), after: clock.after };
  const hold = startLeaseHold(own, own.now(), HOLD_MS);
  return {
    clock,
    hold,
    set: (ms: number) => {
      setMs = ms;
    },
  };
}

describe("how long a lease may be believed to be held", () => {
  it("counts from when it was asked for, and leaves no timer", async () => {
    const { clock } = begin();
    const askedAt = clock.now();
    await clock.advance(4 * SECOND);
    const hold = startLeaseHold(clock, askedAt, HOLD_MS);
    await clock.advance(5 * SECOND);
    expect(hold.isOver).toBe(false);
    await clock.advance(SECOND);
    expect(hold.isOver).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it.each([-3_600 * SECOND, -9 * SECOND])("is not longer where the clock is set by %d ms", async (ms) => {
    const { clock, hold, set } = begin();
    await clock.advance(9 * SECOND);
    set(ms);
    expect(hold.isOver).toBe(false);
    await clock.advance(SECOND);
    expect(hold.isOver).toBe(true);
  });

  it("is over in a process that was stopped, before its timers run", () => {
    const { clock, hold } = begin();
    clock.standStill(11 * SECOND);
    expect(hold.isOver).toBe(true);
  });

  it("can be ended, and with it its timer", () => {
    const { clock, hold } = begin();
    hold.end();
    expect([hold.isOver, clock.pending]).toEqual([true, 0]);
  });
});
