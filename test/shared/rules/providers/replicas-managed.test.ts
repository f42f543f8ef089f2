import { expect, it } from "vitest";
import { isManagedOutside } from "../../../../shared/rules/providers/replicas-managed.ts";
import { machinePool } from "../../../support/builders.ts";

it.each([
  [undefined, false],
  ["false", false],
  ["", true],
  ["true", true],
  ["False", true],
  ["karpenter", true],
])("replicas-managed-by %j says that another controller sets the replicas: %j", (value, expected) => {
  const annotations = value === undefined ? undefined : { "cluster.x-k8s.io/replicas-managed-by": value };
  expect(isManagedOutside(machinePool({ metadata: { annotations } }))).toBe(expected);
});
