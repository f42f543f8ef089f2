import { expect, it } from "vitest";
import { deploymentKey } from "../../../../infra/cli/rollout/deployment-argument.ts";

it("a deployment is named with or without namespace and kind", () => {
  expect(deploymentKey("md", {})).toEqual({ namespace: "default", name: "md" });
  expect(deploymentKey("a/md", {})).toEqual({ namespace: "a", name: "md" });
  expect(deploymentKey("machinedeployment/md", { namespace: "a" })).toEqual({ namespace: "a", name: "md" });
  expect(() => deploymentKey("a/b/md", {})).toThrow("is not the name of an object");
});
