import { expect, it } from "vitest";
import { createComeback } from "../../../../infra/relay/watch/comeback.ts";
import { virtualClock } from "../../../support/clock.ts";

it("notifies all loops of a server that one has reached it, once in 5 s, until they leave (KR-10)", async () => {
  const clock = virtualClock();
  const comeback = createComeback(clock);
  const told: string[] = [];
  comeback.join(() => told.push("a"));
  const leave = comeback.join(() => told.push("b"));
  comeback.reached();
  comeback.reached();
  expect(told).toEqual(["a", "b"]);
  await clock.advance(4_999);
  comeback.reached();
  expect(told).toHaveLength(2);
  leave();
  await clock.advance(1);
  comeback.reached();
  expect(told).toEqual(["a", "b", "a"]);
});
