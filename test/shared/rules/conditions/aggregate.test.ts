import { describe, expect, it } from "vitest";
import { type Aggregation, aggregate, type Reporter } from "../../../../shared/rules/conditions/aggregate.ts";

const READY: Aggregation = {
  source: "Ready",
  polarity: "positive",
  reasons: { issue: "NotReady", unknown: "ReadyUnknown", good: "Ready" },
};
const SCALING: Aggregation = {
  source: "ScalingUp",
  polarity: "negative",
  reasons: { issue: "ScalingUp", unknown: "ScalingUpUnknown", good: "NotScalingUp" },
};

function machine(name: string, status: string, message = "", more: Partial<Reporter> = {}): Reporter {
  return { kind: "Machine", name, condition: { status, reason: `${status}Reason`, message }, ...more };
}

function messageOf(...reporters: readonly Reporter[]): string {
  return aggregate(READY, reporters).message;
}

describe("aggregate", () => {
  it.each([
    ["an issue wins over unknown", ["False", "Unknown", "True"], "False", "NotReady"],
    ["unknown wins over good", ["Unknown", "True"], "Unknown", "ReadyUnknown"],
    ["all good is good", ["True", "True"], "True", "Ready"],
  ])("%s", (_, given, status, reason) => {
    const reporters = given.map((one, index) => machine(`m${index}`, one));
    expect(aggregate(READY, reporters)).toMatchObject({ status, reason });
  });

  it("turns the meaning round for negative polarity", () => {
    expect(aggregate(SCALING, [machine("a", "True"), machine("b", "False")])).toMatchObject({
      status: "True",
      reason: "ScalingUp",
    });
    expect(aggregate(SCALING, [machine("a", "False")])).toMatchObject({
      status: "False",
      reason: "NotScalingUp",
    });
    expect(aggregate(SCALING, [machine("a", "Unknown")])).toMatchObject({ status: "Unknown" });
  });

  it("names one, up to three, and counts the rest of those who say the same", () => {
    expect(messageOf(machine("m1", "False", "broken"))).toBe("* Machine m1: broken");
    const all = ["m5", "m4", "m3", "m2", "m1"].map((name) => machine(name, "False", "broken"));
    expect(messageOf(...all.slice(2))).toBe("* Machines m1, m2, m3: broken");
    expect(messageOf(...all)).toBe("* Machines m1, m2, m3, ... (2 more): broken");
  });

  it("puts control plane Machines first, then issues, then what most say", () => {
    expect(
      messageOf(
        machine("a", "Unknown", "dark"),
        machine("b", "Unknown", "dark"),
        machine("c", "False", "one"),
        machine("z", "Unknown", "etcd", { controlPlane: true }),
      ),
    ).toBe("* Machine z: etcd\n* Machine c: one\n* Machines a, b: dark");
    expect(
      messageOf(machine("a", "False", "one"), machine("b", "False", "two"), machine("c", "False", "two")),
    ).toBe("* Machines b, c: two\n* Machine a: one");
  });

  it("shows three messages in all, kinds in alphabetical order, and counts what does not fit", () => {
    const set = { kind: "MachineSet", name: "s", condition: { status: "False", message: "set" } };
    const machines = ["a", "b", "c", "d", "e"].map((name) => machine(name, "False", name));
    expect(messageOf(set, ...machines, machine("f", "Unknown", "dark"))).toBe(
      [
        "* Machine a: a",
        "* Machine b: b",
        "* Machine c: c",
        "And 2 Machines with other issues",
        "And 1 Machine with status unknown",
        "And 1 MachineSet with other issues",
      ].join("\n"),
    );
  });

  it("shows messages of good objects only when nothing is worse, and only those that say something", () => {
    const good = ["a", "b", "c", "d"].map((name) => machine(name, "True", `info ${name}`));
    expect(messageOf(...good, machine("x", "False", "broken"))).toBe("* Machine x: broken");
    expect(messageOf(...good, machine("y", "True"))).toBe(
      "* Machine a: info a\n* Machine b: info b\n* Machine c: info c\nAnd 1 Machine with additional info",
    );
  });

  it("takes an object that does not report the condition as unknown", () => {
    expect(aggregate(READY, [{ kind: "Machine", name: "m1", condition: undefined }])).toEqual({
      status: "Unknown",
      reason: "ReadyUnknown",
      message: "* Machine m1: Condition Ready not yet reported",
    });
  });

  it("shows the reason where there is no message, and indents a list", () => {
    expect(messageOf(machine("m1", "False"))).toBe("* Machine m1: FalseReason");
    expect(messageOf(machine("m1", "False", "* NodeReady: no\n* Disk: full"))).toBe(
      "* Machine m1:\n  * NodeReady: no\n  * Disk: full",
    );
  });

  it("says the same whatever the order of the objects", () => {
    const reporters = [
      machine("a", "False", "x"),
      machine("b", "Unknown", "y"),
      machine("c", "False", "x"),
      machine("d", "True", "z"),
    ];
    expect(messageOf(...reporters.toReversed())).toBe(messageOf(...reporters));
  });
});
