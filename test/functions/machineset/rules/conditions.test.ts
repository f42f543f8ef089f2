import { describe, expect, it } from "vitest";
import { setConditionsOf } from "../../../../functions/machineset/rules/conditions.ts";
import type { StatusView } from "../../../../functions/machineset/rules/view.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { setViewWith } from "../../../support/set-view.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const STALE = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const MISSING = "FooConfigTemplate does not exist";

function said(type: string, changes: Partial<StatusView>): string | undefined {
  const found = setConditionsOf(setViewWith(changes)).find((each) => each.type === type);
  return found && `${found.status} ${found.reason} ${found.message}`.trim();
}

function members(count: number, overrides: Parameters<typeof setMachine>[1] = {}) {
  return Array.from({ length: count }, (_, at) => setMachine(`m${at}`, overrides));
}

describe("conditions of a set", () => {
  it.each<readonly [string, Partial<StatusView>, string, string]>([
    [
      "has too few",
      { machines: members(1) },
      "True ScalingUp Scaling up from 1 to 3 replicas",
      "False NotScalingDown",
    ],
    [
      "has too few, and may make none",
      { machines: members(1), blockers: ["SimControlPlane default/c1 is upgrading", MISSING] },
      `True ScalingUp Scaling up from 1 to 3 replicas is blocked because:\n* SimControlPlane default/c1 is upgrading\n* ${MISSING}`,
      "False NotScalingDown",
    ],
    ["has as many as it wants", { machines: members(3) }, "False NotScalingUp", "False NotScalingDown"],
    [
      "has as many, and a template is missing",
      { machines: members(3), lasting: [MISSING] },
      `False NotScalingUp Scaling up would be blocked because ${MISSING}`,
      "False NotScalingDown",
    ],
    [
      "has as many, and the server refuses their objects",
      { machines: members(3), lasting: ["The API server refuses to create SimMachine: no"] },
      "False NotScalingUp Scaling up would be blocked because The API server refuses to create SimMachine: no",
      "False NotScalingDown",
    ],
    [
      "has too many",
      { machines: members(4) },
      "False NotScalingUp",
      "True ScalingDown Scaling down from 4 to 3 replicas",
    ],
    [
      "has too many, one of which goes slowly",
      { machines: [...members(3), setMachine("old", STALE)] },
      "False NotScalingUp",
      "True ScalingDown Scaling down from 4 to 3 replicas\n* Machine old is in deletion since more than 15m",
    ],
    [
      "says no number",
      { set: machineSet({ spec: { replicas: undefined } }) },
      "Unknown WaitingForReplicasSet Waiting for spec.replicas set",
      "Unknown WaitingForReplicasSet Waiting for spec.replicas set",
    ],
    [
      "is being deleted: it wants none, and needs no template",
      { set: machineSet(GOING), machines: members(1), lasting: [MISSING] },
      "False NotScalingUp",
      "True ScalingDown Scaling down from 1 to 0 replicas",
    ],
    [
      "has a malformed naming",
      { set: machineSet({ spec: { machineNaming: { template: "fixed" } } }), machines: members(3) },
      "False NotScalingUp Scaling up would be blocked because spec.machineNaming.template has no {{ .random }}; add it, it makes each name its own",
      "False NotScalingDown",
    ],
  ])("of which one %s", (_, changes, up, down) => {
    expect(said("ScalingUp", changes)).toBe(up);
    expect(said("ScalingDown", changes)).toBe(down);
  });
});
