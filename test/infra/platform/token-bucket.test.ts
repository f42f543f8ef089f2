import { describe, expect, it } from "vitest";
import { createTokenBucket } from "../../../infra/platform/token-bucket.ts";
import { virtualClock } from "../../support/clock.ts";

const RATE = { perSecond: 10, burst: 3 };

describe("a token bucket", () => {
  it("gives the burst at once, and owes for more", () => {
    const bucket = createTokenBucket(virtualClock(), RATE);
    expect([bucket.take(2), bucket.take(1), bucket.take(1), bucket.take(2)]).toEqual([0, 0, 100, 300]);
  });

  it("says what more would cost without taking it", () => {
    const bucket = createTokenBucket(virtualClock(), RATE);
    expect([bucket.debtAfterMs(4), bucket.debtAfterMs(4), bucket.take(3)]).toEqual([100, 100, 0]);
  });

  it("fills with time, never beyond the burst", async () => {
    const clock = virtualClock();
    const bucket = createTokenBucket(clock, RATE);
    bucket.take(3);
    await clock.advance(100);
    expect([bucket.take(1), bucket.debtAfterMs(1)]).toEqual([0, 100]);
    await clock.advance(60_000);
    expect(bucket.debtAfterMs(4)).toBe(100);
  });

  it("loses nothing to a clock that steps back", () => {
    let ms = 10_000;
    const clock = { now: () => new Date(ms), after: () => () => undefined };
    const bucket = createTokenBucket(clock, RATE);
    bucket.take(1);
    ms = 0;
    expect(bucket.debtAfterMs(2)).toBe(0);
    ms = 100;
    expect(bucket.debtAfterMs(3)).toBe(0);
  });
});
