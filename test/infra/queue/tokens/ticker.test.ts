import { expect, it } from "vitest";
import { Ticker } from "../../../../infra/queue/tokens/ticker.ts";
import { virtualClock } from "../../../support/clock.ts";

const random = { number: () => 0.5, id: () => "", uuid: () => "" };

function ticking(errorMs = 0) {
  const time = virtualClock();
  const wrong = { errorMs };
  const clock = {
    now: () => new Date(time.now().getTime() + wrong.errorMs),
    after: time.after,
  };
  let ticks = 0;
  const tick = async () => {
    ticks += 1;
  };
  const ticker = new Ticker({ clock, random, everyMs: 60_000, tick });
  return { ticker, time, wrong, ticks: () => ticks };
}

it("ticks when something is due before the next tick", async () => {
  const { ticker, time, ticks } = ticking();
  ticker.due(20);
  await time.advance(20);
  expect(ticks()).toBe(1);
  ticker[Symbol.dispose]();
});

it("X-43: ticks when something is due also after its clock was wrong by hours", async () => {
  for (const errorMs of [-7_200_000, 7_200_000]) {
    const { ticker, time, wrong, ticks } = ticking(errorMs);
    await time.advance(1_000);
    wrong.errorMs = 0;
    ticker.due(20);
    await time.advance(20);
    expect(ticks(), `${errorMs} ms`).toBe(1);
    ticker[Symbol.dispose]();
  }
});
