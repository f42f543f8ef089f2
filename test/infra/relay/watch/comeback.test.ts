import { expect, it } from "vitest";
import { createComeback } from "../../../../infra/relay/watch/comeback.ts";
import { virtualClock } from "../../../support/clock.ts";

it("notifies all loops of a server that one has reached it, once in 5 s, until they leave (KR-10)", async () => {
  const clock = virtualClock();
  const comeback = createComeback(clock);
  const reported: string[] = [];
  comeback.join(() => reported.push("a"));
  const leave = comeback.join(() => reported.push("b"));
  comeback.reached();
  comeback.reached();
  expect(reported).toEqual(["a", "b"]);
  await clock.advance(4_999);
  comeback.reached();
  expect(reported).toHaveLength(2);
  leave();
  await clock.advance(1);
  comeback.reached();
  expect(reported).toEqual(["a", "b", "a"]);
});
