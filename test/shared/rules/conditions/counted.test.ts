import { expect, it } from "vitest";
import { counted } from "../../../../shared/rules/conditions/counted.ts";

it.each([
  [0, "0 Machines"],
  [1, "1 Machine"],
  [2, "2 Machines"],
])("says %d of something", (number, text) => {
  expect(counted(number, "Machine")).toBe(text);
});
