import { describe, expect, it } from "vitest";
import { judge } from "../../../../infra/providers/contract/judge.ts";
import { exitStatus, toReport } from "../../../../infra/providers/contract/report.ts";
import { checkWaivers, readWaivers } from "../../../../infra/providers/contract/waivers.ts";
import {
  EVERY_CONTRACT,
  fail,
  na,
  pass,
  type Rule,
  unknown,
  warn,
} from "../../../../shared/contract/rules/rule.ts";

interface Fruit {
  readonly ripe?: boolean;
  readonly stones: number;
}

const RIPE: Rule<Fruit> = {
  id: "FR-01",
  level: "MUST",
  contracts: EVERY_CONTRACT,
  artefact: "A1",
  sentence: "The fruit is ripe",
  effect: "core does not eat it",
  source: "internal/fruit.go",
  check: ({ ripe }) => {
    if (ripe === undefined) return [unknown("needs a live fruit (A3)")];
    return [ripe ? pass() : fail({ path: "spec.ripe", found: "false", expected: "true" })];
  },
};
const STONES: Rule<Fruit> = {
  ...RIPE,
  id: "FR-02",
  level: { v1beta1: "MAY", v1beta2: "SHOULD" },
  contracts: ["v1beta2"],
  sentence: "The fruit has one stone",
  check: ({ stones }) => {
    if (stones === 0) return [na("the fruit has no stone")];
    return [stones === 1 ? pass() : warn({ effect: "core bites on a stone" })];
  },
};
const RULES = [STONES, RIPE];

function caseOf(subject: Fruit, waive?: string) {
  const place = { object: "Fruit garden/plum", file: "fruits.yaml", line: 7, waive };
  return { subject, place, contract: "v1beta2" as const };
}

describe("judge", () => {
  it("gives each judgement with its rule, level, place and consequence", () => {
    expect(judge(RULES, [caseOf({ ripe: false, stones: 2 })], new Map())).toEqual([
      {
        ...{ rule: "FR-02", level: "SHOULD", verdict: "warn", artefact: "A1", contract: "v1beta2" },
        ...{ file: "fruits.yaml", line: 7, object: "Fruit garden/plum" },
        ...{ effect: "core bites on a stone", source: "internal/fruit.go" },
      },
      {
        ...{ rule: "FR-01", level: "MUST", verdict: "fail", artefact: "A1", contract: "v1beta2" },
        ...{ file: "fruits.yaml", line: 7, object: "Fruit garden/plum" },
        ...{ path: "spec.ripe", found: "false", expected: "true" },
        ...{ effect: "core does not eat it", source: "internal/fruit.go" },
      },
    ]);
  });

  it("says of rules of other contract versions that they do not apply", () => {
    const old = { ...caseOf({ ripe: true, stones: 2 }), contract: "v1beta1" as const };
    expect(judge(RULES, [old], new Map()).map(({ rule, verdict }) => `${rule} ${verdict}`)).toEqual([
      "FR-02 na",
      "FR-01 pass",
    ]);
  });

  it("marks what is waived by command line or annotation, and nothing that passes", () => {
    const waivers = new Map([["FR-01", "winter"]]);
    const broken = judge(RULES, [caseOf({ ripe: false, stones: 2 }, "FR-02=a hybrid; FR-01=late")], waivers);
    expect(broken.map(({ rule, waived }) => [rule, waived])).toEqual([
      ["FR-02", "a hybrid"],
      ["FR-01", "winter"],
    ]);
    expect(judge(RULES, [caseOf({ ripe: true, stones: 0 })], waivers).map(({ waived }) => waived)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("toReport", () => {
  const outcomeOf = (...subjects: readonly Fruit[]) => ({
    crds: [],
    findings: judge(
      RULES,
      subjects.map((subject) => caseOf(subject)),
      new Map(),
    ),
    problems: [],
    rules: RULES,
  });

  it("sorts by file, object and rule, and counts", () => {
    const report = toReport(outcomeOf({ ripe: true, stones: 1 }, { stones: 0 }, { ripe: false, stones: 2 }));
    const order = report.findings.map(({ rule, verdict }) => `${rule} ${verdict}`);
    expect(order.slice(0, 3)).toEqual(["FR-01 pass", "FR-01 unknown", "FR-01 fail"]);
    expect(order.slice(3)).toEqual(["FR-02 pass", "FR-02 warn", "FR-02 na"]);
    expect(report.summary).toEqual({ pass: 2, fail: 1, warn: 1, na: 1, unknown: 1, waived: 0 });
  });

  it("ends with 0, 1 or 2 by the worst that counts", () => {
    const warned = outcomeOf({ ripe: true, stones: 2 });
    expect(exitStatus(warned, "fail")).toBe(0);
    expect(exitStatus(warned, "warn")).toBe(1);
    const failed = outcomeOf({ ripe: false, stones: 1 });
    expect(exitStatus(failed, "fail")).toBe(1);
    const waived = { ...failed, findings: failed.findings.map((one) => ({ ...one, waived: "known" })) };
    expect(exitStatus(waived, "warn")).toBe(0);
    const problem = { file: "x.yaml", line: 3, message: "not YAML" };
    expect(exitStatus({ ...failed, problems: [problem] }, "fail")).toBe(2);
  });
});

describe("waivers", () => {
  it("are RULE=REASON, separated by semicolons", () => {
    expect([...readWaivers("FR-01=late; FR-02 = a = b ;")]).toEqual([
      ["FR-01", "late"],
      ["FR-02", "a = b"],
    ]);
  });

  it.each(["FR-01", "FR-01=", "FR-01= ", "=late"])("without a reason are refused: %s", (text) => {
    expect(() => readWaivers(text)).toThrow("reason missing; write RULE=REASON");
  });

  it("have bounds", () => {
    expect(() => readWaivers("A-01=b;".repeat(101))).toThrow("more than 100 waivers");
    expect(() => readWaivers(`A-01=${"b".repeat(1_001)}`)).toThrow("longer than 1000 characters");
  });

  it("of unknown rules are refused by name", () => {
    const known = new Set(["FR-01"]);
    expect(() => checkWaivers(new Map([["FR-09", "x"]]), known)).toThrow("no such rule to waive: FR-09");
    expect(() => checkWaivers(new Map([["FR-01", "x"]]), known)).not.toThrow();
  });
});
