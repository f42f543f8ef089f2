import { describe, expect, it } from "vitest";
import { recordedVerdicts, settled } from "../../../../functions/remediationpolicy/rules/history.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { merge } from "../../../support/builders.ts";
import { at, failed, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { since } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { NOW } from "../../../support/world.ts";

const FAILED_AT = at("10:59:00");
const withOwner = since(at("11:01:00"), "OwnerRemediated", "False");
const open = entryOf("m1");
const external = entryOf("m1", { by: "ExternalController" });

describe("the outcome of a remediation", () => {
  it("Recovered once the check succeeds and the owner has let go", () => {
    const well = machineWith("m1", succeeded(at("11:30:00")));
    expect(settled(open, well, NOW)).toEqual({ ...open, outcome: "Recovered", endedAt: at("11:30:00") });
    expect(settled(open, machineWith("m1", succeeded(at("11:30:00")), withOwner), NOW)).toBe(open);
    const plain = machineWith("m1", succeeded(at("11:30:00")), withOwner);
    const ownerless = merge<Machine>(plain, { metadata: { ownerReferences: [] } });
    expect(settled(open, ownerless, NOW)).toMatchObject({ outcome: "Recovered" });
    const again = machineWith("m1", failed(at("11:40:00")));
    expect(settled(open, again, NOW)).toMatchObject({ outcome: "Recovered", endedAt: at("11:40:00") });
  });

  it("under way while an owner that never let go may act on a Machine that has failed again", () => {
    const leftOver = machineWith("m1", failed(at("11:40:00")), withOwner);
    expect(settled(open, leftOver, NOW)).toBe(open);
    const handedOverAgain = since(at("11:41:00"), "OwnerRemediated", "False");
    const again = machineWith("m1", failed(at("11:40:00")), handedOverAgain);
    expect(settled(open, again, NOW)).toMatchObject({ outcome: "Recovered", endedAt: at("11:40:00") });
  });

  it("Deleted once the server has no Machine of that uid; unknown until it has said so", () => {
    expect(settled(open, "gone", NOW)).toMatchObject({ outcome: "Deleted", endedAt: at("12:00:00") });
    expect(settled(open, "unknown", NOW)).toBe(open);
  });

  it("Escalated when the owner has it from an external controller, and under way until it is gone", () => {
    const machine = machineWith("m1", failed(FAILED_AT), withOwner);
    const escalated = settled(external, machine, NOW);
    expect(escalated).toEqual({ ...external, outcome: "Escalated" });
    expect(settled(escalated, machine, NOW)).toBe(escalated);
    expect(settled(escalated, "gone", NOW)).toMatchObject({ outcome: "Escalated", endedAt: at("12:00:00") });
    expect(settled(open, machine, NOW)).toBe(open);
  });

  it("Withdrawn when the Machine is taken out before its owner has it", () => {
    const annotations = { "cluster.x-k8s.io/skip-remediation": "" };
    const skipped = merge(machineWith("m1", failed(FAILED_AT)), { metadata: { annotations } });
    expect(settled(open, skipped, NOW)).toMatchObject({ outcome: "Withdrawn" });
    expect(settled(external, skipped, NOW)).toBe(external);
    const late = merge(machineWith("m1", failed(FAILED_AT), withOwner), { metadata: { annotations } });
    expect(settled(open, late, NOW)).toBe(open);
  });

  it("stays as it is", () => {
    const over = { ...open, outcome: "Deleted" as const, endedAt: at("11:00:00") };
    expect(settled(over, machineWith("m1", succeeded()), NOW)).toBe(over);
    expect(settled(open, machineWith("m1", failed(FAILED_AT)), NOW)).toBe(open);
  });
});

describe("the failed checks that a policy records", () => {
  const machines = [
    machineWith("b", failed(at("11:00:00"))),
    machineWith("a", failed(at("11:00:00"))),
    machineWith("c", succeeded()),
  ];
  const verdict = (name: string) => ({
    machine: { name, uid: `uid-${name}` },
    failedAt: at("11:00:00"),
    reason: "UnhealthyNode",
  });

  it("are each failure once, the latest ones, and none where that is not asked for", () => {
    const history = { recordVerdicts: true, maxEntries: 10 };
    const policy = remediationPolicy({ spec: { history } });
    expect(recordedVerdicts(policy, machines)).toEqual([verdict("a"), verdict("b")]);
    const known = { ...policy, status: { verdicts: [verdict("a"), verdict("b")] } };
    expect(recordedVerdicts(known, machines)).toBeUndefined();
    const many = Array.from({ length: 12 }, (_, index) => machineWith(`m${index}`, failed()));
    expect(recordedVerdicts(policy, many)).toHaveLength(10);
    expect(recordedVerdicts(remediationPolicy(), machines)).toBeUndefined();
  });
});
