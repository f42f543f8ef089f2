import { describe, expect, it } from "vitest";
import { permissionOf } from "../../../../functions/remediationpolicy/rules/ledger.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import { at, failed, limitedCheck, machineWith } from "../../../support/checked-machines.ts";
import { patched } from "../../../support/patched.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { NOW } from "../../../support/world.ts";

const FAILED_AT = at("10:59:00");
const ill = (name: string) => machineWith(name, failed(FAILED_AT));
const names = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name);

function ask(policies: readonly RemediationPolicy[], chosen: readonly Machine[]) {
  return permissionOf({ check: limitedCheck(), policies, chosen, controlPlane: [], now: NOW });
}

describe("the entry that a hand-over needs", () => {
  it("is written first, in the version of the policy that was read; nothing goes in that run", () => {
    const policy = remediationPolicy();
    const { allowed, patch, refused } = ask([policy], [ill("m1")]);
    expect([allowed, refused]).toEqual([[], []]);
    expect(patch).toMatchObject([{ target: { name: "r1", uid: "uid-r1", resourceVersion: "70" } }]);
    const { status } = patched(policy, patch[0]?.operations ?? []);
    expect(status).toEqual({
      policyUID: "uid-r1",
      underWay: 1,
      remediations: [
        {
          machine: { name: "m1", uid: "uid-m1" },
          failedAt: FAILED_AT,
          healthCheck: "h1",
          reason: "UnhealthyNode",
          startedAt: at("12:00:00"),
          by: "Owner",
          controller: "MachineSet s1",
          actor: "MachineSet s1",
        },
      ],
    });
    const again = ask([{ ...policy, status }], [ill("m1")]);
    expect([names(again.allowed), again.patch, again.refused]).toEqual([["m1"], [], []]);
  });

  it("is of this failure of this Machine, and not ended", () => {
    for (const entry of [
      entryOf("m1", { failedAt: at("08:00:00") }),
      entryOf("m1", { machine: { name: "m1", uid: "earlier" } }),
      entryOf("m1", { outcome: "Recovered", endedAt: at("11:30:00") }),
    ]) {
      const { allowed, patch } = ask([remediationPolicy({ status: { remediations: [entry] } })], [ill("m1")]);
      expect([allowed, patch.length]).toEqual([[], 1]);
    }
  });

  it("counts for the others of the same run: by name, as many as the policy allows", () => {
    const pacing = { maxRemediations: 2, windowSeconds: 60 };
    const policy = remediationPolicy({ spec: { pacing } });
    const { patch, refused } = ask([policy], ["m3", "m1", "m2"].map(ill));
    const { status } = patched(policy, patch[0]?.operations ?? []);
    expect(status?.remediations?.map(({ machine }) => machine.name)).toEqual(["m1", "m2"]);
    expect(refused).toMatchObject([
      { machine: ill("m3"), by: "RemediationPolicy r1", untilMs: NOW.getTime() + 60_000 },
    ]);
  });

  it("is written only once the history of a policy that was moved is taken over", () => {
    const { allowed, patch, refused } = ask(
      [remediationPolicy({ status: { policyUID: "uid-elsewhere", remediations: [] } })],
      [ill("m1")],
    );
    expect([allowed, patch]).toEqual([[], []]);
    expect(refused).toMatchObject([{ text: "its history, which was moved here, is not taken over yet" }]);
  });

  it("is written in all policies or in none", () => {
    const strict = remediationPolicy({
      metadata: { name: "r2", uid: "uid-r2" },
      spec: { retries: { perMachine: 0, windowSeconds: 60 } },
    });
    const { patch, refused, allowed } = ask([remediationPolicy(), strict], [ill("m1")]);
    expect([patch, allowed]).toEqual([[], []]);
    expect(refused).toMatchObject([{ machine: ill("m1"), by: "RemediationPolicy r2" }]);
    const other = remediationPolicy({ metadata: { name: "r3", uid: "uid-r3" } });
    expect(ask([remediationPolicy(), other], [ill("m1")]).patch.map(({ target }) => target.name)).toEqual([
      "r1",
      "r3",
    ]);
  });

  it("is not asked for without a policy", () => {
    expect(names(ask([], [ill("m1")]).allowed)).toEqual(["m1"]);
  });
});
