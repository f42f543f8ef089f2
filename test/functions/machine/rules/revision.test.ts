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
  it.each([
    ["1", "2", true],
    ["2", "2", false],
    ["3", "2", false],
    ["9", "10", true],
    ["", "1", true],
    [undefined, "1", false],
    ["1", undefined, false],
    ["one", "2", false],
  ])("%s is outdated beside a MachineDeployment of %s: %s", (set, deployment, outdated) => {
    expect(isOutdated(at(set), at(deployment))).toBe(outdated);
  });

  it("is not outdated without set or MachineDeployment", () => {
    expect(isOutdated(undefined, at("2"))).toBe(false);
    expect(isOutdated(at("1"), undefined)).toBe(false);
  });
});
