import { describe, expect, it } from "vitest";
import type { TemplateTrial } from "../../../../../shared/contract/rules/probe/subject.ts";
import { said } from "../../../../support/contract/life.ts";

function judged(trial: Partial<TemplateTrial>, contractKind: "InfraMachine" | "BootstrapConfig") {
  const usual = { path: "spec.template.spec.size", dryRun: undefined, withoutAnnotation: undefined };
  const templates = new Map([["FooTemplate t1", { ...usual, isOpen: false, ...trial }]]);
  const how = { title: "FooTemplate t1", contractKind, isTemplate: true };
  return said({ templates }, { ...how, verdicts: ["pass", "fail", "warn"] });
}

describe("a template", () => {
  it.each<[string, Partial<TemplateTrial>, string, string]>([
    ["accepts every change", {}, "pass", "pass"],
    ["is immutable but for the topology", { withoutAnnotation: "immutable" }, "pass", "pass"],
    ["is immutable", { dryRun: "immutable", withoutAnnotation: "immutable" }, "fail", "warn"],
    ["looks at the annotation only", { withoutAnnotation: "immutable", isOpen: true }, "warn", "warn"],
  ])("may be one that %s", (_, trial, must, should) => {
    expect(judged(trial, "InfraMachine")).toEqual([`${must} IM-23`]);
    expect(judged(trial, "BootstrapConfig")).toEqual([`${should} BC-22`]);
  });
});
