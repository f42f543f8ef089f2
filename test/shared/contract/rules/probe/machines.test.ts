import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { Life } from "../../../../../shared/contract/rules/probe/subject.ts";
import { at, core, foo, owner, said } from "../../../../support/contract/life.ts";

const MACHINE = core("Machine", "m1", { spec: { failureDomain: "a" } });
const TITLE = "FooMachine m1";

function infra(failureDomain: string | undefined, ownerReferences = [owner(MACHINE)]): KubeObject {
  return foo("FooMachine", "m1", { metadata: { ownerReferences }, status: { failureDomain } });
}

function judged(object: KubeObject, life: Partial<Life> = {}): readonly string[] {
  const lived = {
    provisioned: at(MACHINE, object),
    seen: new Map([[TITLE, [infra("a"), object]]]),
    left: new Map(),
    ...life,
  };
  const how = { title: TITLE, contractKind: "InfraMachine", verdicts: ["pass", "fail"] } as const;
  return said(lived, how).filter((one) => one.endsWith("IM-25"));
}

describe("an infrastructure machine", () => {
  it.each<[string, KubeObject, Partial<Life>, string]>([
    ["keeps its Machine, its domain and goes", infra("a"), {}, "pass"],
    ["names no domain", infra(undefined), {}, "pass"],
    ["is in another domain", infra("b"), {}, "fail"],
    ["loses its Machine", infra("a", []), {}, "fail"],
    ["stays", infra("a"), { left: new Map([[TITLE, ["foo/held"]]]) }, "fail"],
    ["waits for its Machine", infra("a"), { outlived: new Map([[TITLE, "Machine m1"]]) }, "fail"],
    ["goes with its Machine", infra("a"), { snapshots: [at(MACHINE, infra("a")), at()] }, "pass"],
    ["goes by itself", infra("a"), { snapshots: [at(MACHINE, infra("a")), at(MACHINE)] }, "fail"],
  ])("may be one that %s", (_, object, life, verdict) => {
    expect(judged(object, life)).toEqual([`${verdict} IM-25`]);
  });
});
