import { describe, expect, it } from "vitest";
import { differences } from "../../../../../../infra/playground/functions/sim/rules/control-plane-propagation.ts";
import {
  type AnyControlPlane,
  machineTemplateOf,
} from "../../../../../../infra/playground/functions/sim/rules/control-plane-view.ts";
import type { Machine } from "../../../../../../shared/api/machine/machine.ts";
import { assert } from "../../../../../../shared/function/errors.ts";
import type { Overrides } from "../../../../../support/builders.ts";
import {
  clonesOf,
  controlPlaneMachine,
  legacyControlPlane,
  machinesControlPlane,
} from "../../../../../support/control-planes.ts";
import { NOW } from "../../../../../support/world.ts";

function found(object: AnyControlPlane, overrides: Overrides<Machine> = {}, clones = clonesOf("m1")) {
  const template = machineTemplateOf(object);
  assert(template !== undefined && !("problem" in template), "the template is readable");
  const [infraMachine, config] = clones;
  return differences(
    object,
    template,
    { machine: controlPlaneMachine("m1", overrides), infraMachine, config },
    NOW,
  );
}

function rolledOut(after: string) {
  return machinesControlPlane({ spec: { rollout: { after } } });
}

describe("a control plane Machine is replaced", () => {
  it.each<readonly [string, AnyControlPlane, Overrides<Machine>, readonly string[]]>([
    ["not while it is as the template says", machinesControlPlane(), {}, []],
    ["not under the older contract either", legacyControlPlane(), {}, []],
    [
      "for another version",
      machinesControlPlane({ spec: { version: "v1.35.0" } }),
      {},
      ["Version v1.34.2, v1.35.0 required"],
    ],
    [
      "not for the v that the version of the control plane lacks",
      machinesControlPlane({ spec: { version: "1.34.2" } }),
      {},
      [],
    ],
    [
      "for a missing version",
      machinesControlPlane(),
      { spec: { version: undefined } },
      ["Version none, v1.34.2 required"],
    ],
    [
      "when the time of a rollout has come",
      rolledOut("2026-01-01T11:00:00Z"),
      {},
      ["It was created before spec.rollout.after"],
    ],
    ["not before that time", rolledOut("2026-01-01T13:00:00Z"), {}, []],
    [
      "not when it is younger than that time",
      rolledOut("2026-01-01T11:00:00Z"),
      { metadata: { creationTimestamp: "2026-01-01T11:00:01Z" } },
      [],
    ],
  ])("%s", (_, object, overrides, lines) => {
    expect(found(object, overrides)).toEqual(lines);
  });
});
