import { expect, it } from "vitest";
import { isControlPlaneMachine } from "../../../../shared/rules/machines/control-plane-machine.ts";
import { machine } from "../../../support/builders.ts";

it.each([
  [{ "cluster.x-k8s.io/control-plane": "" }, true],
  [{ "cluster.x-k8s.io/control-plane": "no" }, true],
  [{ "cluster.x-k8s.io/cluster-name": "c1" }, false],
  [undefined, false],
])("isControlPlaneMachine: of labels %j is %s", (labels, expected) => {
  expect(isControlPlaneMachine({ ...machine(), metadata: { name: "m1", labels } })).toBe(expected);
});
