import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { PauseTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import { at, foo, owner, said } from "../../../../support/contract/life.ts";

const TITLE = "FooPool p1";
const ALL = new Set([TITLE]);

function pool(replicas: number, observed: object = { observedGeneration: 3 }): KubeObject {
  const paused = { type: "Paused", status: "True", ...observed };
  return foo("FooPool", "p1", { status: { replicas, conditions: [paused] } });
}

const MACHINE = foo("FooMachine", "m1", { metadata: { ownerReferences: [owner(pool(1))] } });
const WITHOUT = foo("FooPool", "p1", { status: { replicas: 1 } });

function judged(trial: Partial<PauseTrial>, contract: "v1beta1" | "v1beta2" = "v1beta2") {
  const usual: PauseTrial = {
    by: "Cluster",
    targets: ALL,
    before: at(pool(1)),
    after: at(pool(1)),
    saidPaused: ALL,
    saidResumed: ALL,
    changes: new Map([[TITLE, { what: "spec.replicas of the MachinePool", actedOn: true }]]),
  };
  const verdicts = ["fail", "warn", "unknown", "pass"];
  const rules = said({ pauses: [{ ...usual, ...trial }] }, { verdicts, contract });
  return rules.filter((rule) => rule.endsWith("IMP-25"));
}

describe("a pause", () => {
  it.each<[string, Partial<PauseTrial>, string]>([
    ["rests and says so", {}, "pass"],
    ["works", { after: at(pool(2)) }, "warn"],
    ["makes something", { after: at(pool(1), MACHINE) }, "warn"],
    ["has no condition Paused", { before: at(WITHOUT), after: at(WITHOUT) }, "warn"],
    ["never says True", { saidPaused: new Set() }, "warn"],
    ["never says False again", { saidResumed: new Set() }, "warn"],
    ["names no generation", { after: at(pool(1, {})), before: at(pool(1, {})) }, "warn"],
    [
      "never acts on the change",
      { changes: new Map([[TITLE, { what: "spec.size", actedOn: false }]]) },
      "unknown",
    ],
    ["was not given a change", { changes: new Map() }, "pass"],
  ])("may find an object that %s", (_, trial, verdict) => {
    expect(judged(trial)).toEqual([`${verdict} IMP-25`]);
  });

  it("does not ask conditions of the contract v1beta1 for a generation", () => {
    const old = at(pool(1, {}));
    expect(judged({ before: old, after: old }, "v1beta1")).toEqual(["pass IMP-25"]);
  });
});
