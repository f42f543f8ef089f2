import { expect, it } from "vitest";
import type { Condition } from "../../../../shared/api/conditions.ts";
import { scalingUpCondition, shownBlocker } from "../../../../shared/rules/machines/scaling-conditions.ts";

const REASON = 'control plane is upgrading ("ControlPlaneIsStable" preflight check failed)';

it.each([
  ["a set that lacks Machines", 0, ` is blocked because:\n* ${REASON}\n* another`],
  ["a deployment that lacks Machines", 0, ` is blocked because ${REASON}`],
  ["one that has all", 1, ""],
])("the status of %s shows what would block it", (_, present, now) => {
  const up = scalingUpCondition({ present, wanted: 1 }, { now, lasting: [REASON] });
  expect(shownBlocker([up as Condition])).toBe(REASON);
});

it("shows nothing where nothing blocks", () => {
  const up = scalingUpCondition({ present: 0, wanted: 1 }, { now: "", lasting: [] });
  expect(shownBlocker([up as Condition])).toBeUndefined();
  expect(shownBlocker(undefined)).toBeUndefined();
});
