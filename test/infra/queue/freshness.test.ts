import { describe, expect, it } from "vitest";
import { startFreshness } from "../../../infra/queue/freshness.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { virtualClock } from "../../support/clock.ts";

describe("the age of a claim", () => {
  it("Q-37: is over by the timer although the clock was set back", async () => {
    const clock = virtualClock();
    let backMs = 0;
    const setBack: Clock = {
      after: (ms, callback) => clock.after(ms, callback),
      now: () => new Date(clock.now().getTime() - backMs),
    };
    const { isFresh } = startFreshness(setBack, 5_000);
    backMs = 3_600_000;
    await clock.advance(4_999);
    expect(isFresh()).toBe(true);
    await clock.advance(1);
    expect(isFresh()).toBe(false);
  });

  it("Q-37: is over by the clock before the timers of a process that stood still", () => {
    const clock = virtualClock();
    const { isFresh } = startFreshness(clock, 5_000);
    clock.standStill(4_999);
    expect(isFresh()).toBe(true);
    clock.standStill(1);
    expect(isFresh()).toBe(false);
  });

  it("leaves no timer behind", () => {
    const clock = virtualClock();
    startFreshness(clock, 5_000)[Symbol.dispose]();
    startFreshness(clock, undefined);
    expect(clock.pending).toBe(0);
  });
});
