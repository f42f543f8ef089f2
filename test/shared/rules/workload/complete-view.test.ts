import { expect, it } from "vitest";
import { isCompleteView } from "../../../../shared/rules/workload/complete-view.ts";
import { connection } from "../../../support/builders.ts";

it.each([
  [true, connection()],
  [false, connection({ status: { nodesComplete: false } })],
  [false, connection({ status: { state: "unreachable" } })],
  [false, undefined],
])("a view is complete: %s", (complete, of) => {
  expect(isCompleteView(of)).toBe(complete);
});
