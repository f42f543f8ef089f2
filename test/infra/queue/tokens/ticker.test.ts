import { describe, expect, it } from "vitest";
import { Ticker } from "../../../../infra/queue/tokens/ticker.ts";
import { virtualClock } from "../../../support/clock.ts";

function ticking(tick: (isDue: boolean) => Promise<boolean> = async () => true, errorMs = 0) {
  const clock = virtualClock();
  const wrong = { errorMs };
  const own = { now: () => new Date(clock.now().getTime() + wrong.errorMs), after: clock.after };
  const startedAt = clock.now().getTime();
  const at: number[] = [];
  const note = (isDue: boolean): Promise<boolean> => {
    at.push(clock.now().getTime() - startedAt);
    return tick(isDue);
  };
  return { clock, wrong, at, ticker: new Ticker({ clock: own, everyMs: 250, tick: note }) };
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
    expect(at).toEqual([40, 250]);
    ticker[Symbol.dispose]();
  });

  it.each([-7_200_000, 7_200_000])(
    "ticks when something is due also after its clock was wrong by %d ms",
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

  it("ticks at the same instants as the others of its process, whenever each has begun", async () => {
    const { clock, at, ticker } = ticking();
    await clock.advance(130);
    const others: number[] = [];
    const tick = async () => {
      others.push(clock.now().getTime() - startedAt);
      return true;
    };
    const startedAt = clock.now().getTime() - 130;
    using _ = new Ticker({ clock, everyMs: 250, tick });
    await clock.advance(700);
    expect(others).toEqual(at);
    ticker[Symbol.dispose]();
  });

  it("never ticks twice at a time", async () => {
    const first = Promise.withResolvers<boolean>();
    const { clock, at, ticker } = ticking(() => first.promise);
    await clock.advance(250);
    ticker.due(10);
    await clock.advance(1_000);
    expect(at).toEqual([250]);
    first.resolve(true);
    await clock.advance(0);
    // A key that becomes due meanwhile is not in the tick under way.
    expect(at).toEqual([250, 1_250]);
    await clock.advance(250);
    expect(at).toEqual([250, 1_250, 1_500]);
    ticker[Symbol.dispose]();
  });

  it("Q-25: looks less often while another process ticks, and ticks at once for a key that it knows to be due", async () => {
    let othersTick = true;
    const dues: boolean[] = [];
    const { clock, at, ticker } = ticking(async (isDue) => {
      dues.push(isDue);
      return isDue || !othersTick;
    });
    await clock.advance(2_250);
    expect(at).toEqual([250, 1_250, 2_250]);
    ticker.due(40);
    ticker.due(30);
    await clock.advance(300);
    expect(at.slice(3)).toEqual([2_280, 2_500]);
    expect(dues).toEqual([false, false, false, true, false]);
    othersTick = false;
    await clock.advance(1_500);
    expect(at.slice(5)).toEqual([3_500, 3_750, 4_000]);
    ticker[Symbol.dispose]();
  });

  it("Q-25: a key that is due after the next look is not left to another process", async () => {
    const dues: string[] = [];
    const { clock, at, ticker } = ticking(async (isDue) => {
      dues.push(String(isDue));
      return isDue;
    });
    await clock.advance(200);
    ticker.due(100);
    await clock.advance(100);
    expect(at).toEqual([250, 300]);
    expect(dues).toEqual(["false", "true"]);
    ticker[Symbol.dispose]();
  });
});
