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

  it("may be recreated under its old name: it is another object, which core makes its own in turn", () => {
    const again = (ownerReferences: ReturnType<typeof owner>[]) => {
      const { metadata, ...rest } = infra("a", ownerReferences);
      return { ...rest, metadata: { ...metadata, uid: "uid-again" } };
    };
    const second = core("Machine", "m1", { metadata: { uid: "uid-second" }, spec: { failureDomain: "a" } });
    const last = again([owner(second)]);
    const seen = new Map([[TITLE, [infra("a"), again([]), last]]]);
    const snapshots = [at(MACHINE, infra("a")), at(second), at(second, last)];
    expect(judged(last, { provisioned: at(second, last), seen, snapshots })).toEqual(["pass IM-25"]);
    const lost = new Map([[TITLE, [infra("a", []), infra("a"), infra("a", []), last]]]);
    expect(judged(last, { provisioned: at(second, last), seen: lost })).toEqual(["fail IM-25"]);
  });
});
