import { describe, expect, it } from "vitest";
import { Ticker } from "../../../../infra/queue/tokens/ticker.ts";
import { virtualClock } from "../../../support/clock.ts";

const random = {
  number: () => 0.5,
  id: () => "id",
  uuid: () => "00000000-0000-4000-8000-000000000000" as const,
};

function ticking(tick: () => Promise<void> = async () => undefined, errorMs = 0) {
  const clock = virtualClock();
  const wrong = { errorMs };
  const own = { now: () => new Date(clock.now().getTime() + wrong.errorMs), after: clock.after };
  const startedAt = clock.now().getTime();
  const at: number[] = [];
  const note = (): Promise<void> => {
    at.push(clock.now().getTime() - startedAt);
    return tick();
  };
  return { clock, wrong, at, ticker: new Ticker({ clock: own, random, everyMs: 250, tick: note }) };
}

describe("a ticker", () => {
  it("ticks again and again until it is disposed", async () => {
    const { clock, at, ticker } = ticking();
    await clock.advance(800);
    expect(at).toEqual([250, 500, 750]);
    ticker[Symbol.dispose]();
    await clock.advance(1_000);
    expect(at).toHaveLength(3);
  });

  it("ticks when something is due before the next tick, and leaves later things to it", async () => {
    const { clock, at, ticker } = ticking();
    ticker.due(40);
    ticker.due(90);
    ticker.due(60_000);
    await clock.advance(300);
    expect(at).toEqual([40, 290]);
    ticker[Symbol.dispose]();
  });

  it.each([-7_200_000, 7_200_000])(
    "X-43: ticks when something is due also after its clock was wrong by %d ms",
    async (errorMs) => {
      const { clock, wrong, at, ticker } = ticking(undefined, errorMs);
      await clock.advance(100);
      wrong.errorMs = 0;
      ticker.due(20);
      await clock.advance(20);
      expect(at).toHaveLength(1);
      ticker[Symbol.dispose]();
    },
  );

  it("never ticks twice at a time", async () => {
    const first = Promise.withResolvers<void>();
    const { clock, at, ticker } = ticking(() => first.promise);
    await clock.advance(250);
    ticker.due(10);
    await clock.advance(1_000);
    expect(at).toEqual([250]);
    first.resolve();
    await clock.advance(250);
    expect(at.length).toBeGreaterThan(1);
    ticker[Symbol.dispose]();
  });
});
