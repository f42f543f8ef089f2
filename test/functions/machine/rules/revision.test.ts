import { describe, expect, it } from "vitest";
import { isOutdated } from "../../../../functions/machine/rules/revision.ts";
import { machine } from "../../../support/builders.ts";

/** Any object with this revision. */
function at(revision: string | undefined) {
  const annotations =
    revision === undefined ? undefined : { "machinedeployment.clusters.x-k8s.io/revision": revision };
  return machine("any", { metadata: { annotations } });
}

describe("the revision of a MachineSet", () => {
  it("is not outdated without set or MachineDeployment", () => {
    expect(isOutdated(undefined, at("2"))).toBe(false);
    expect(isOutdated(at("1"), undefined)).toBe(false);
  });
});
