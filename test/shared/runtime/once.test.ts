import { expect, it } from "vitest";
import { once } from "../../../shared/runtime/once.ts";

it("makes a result at the first call, and gives it at all later ones, also when it is undefined", () => {
  let made = 0;
  const result = once(() => {
    made += 1;
    return undefined;
  });
  expect(made).toBe(0);
  expect([result(), result(), made]).toEqual([undefined, undefined, 1]);
});
