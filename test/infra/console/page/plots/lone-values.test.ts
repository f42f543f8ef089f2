import { expect, it } from "vitest";
import { loneValues } from "../../../../../infra/console/page/plots/lone-values.ts";

it("are those without a known neighbour", () => {
  expect(loneValues([1, null, 2, 3, null, 4, undefined, 0])).toEqual([0, 5, 7]);
  expect(loneValues([null, null])).toEqual([]);
  expect(loneValues([5])).toEqual([0]);
  expect(loneValues([])).toEqual([]);
});
