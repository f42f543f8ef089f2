import { describe, expect, it } from "vitest";
import { mayEscalate } from "../../../../functions/mhc/rules/given-up.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import { escalatesAtMs } from "../../../../functions/remediationpolicy/rules/escalation.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import { merge } from "../../../support/builders.ts";
import { at, failed, LONG_AGO, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { since } from "../../../support/health-checks.ts";
import { remediationPolicy } from "../../../support/remediation-policies.ts";
import { simRemediation } from "../../../support/sim.ts";

const UNHEALTHY: Verdict = { is: "unhealthy", reason: "UnhealthyNode", texts: [] };
type Escalation = NonNullable<RemediationPolicy["spec"]["escalation"]>;

function escalates(
  escalation: Escalation,
  {
    machine = machineWith("m1", failed()),
    request = simRemediation("m1") as KubeObject,
    verdict = UNHEALTHY,
  } = {},
) {
  if (!mayEscalate({ machine, verdict }, request)) return undefined;
  return escalatesAtMs([remediationPolicy(), remediationPolicy({ spec: { escalation } })], request);
}

describe("escalation to the owner of a Machine", () => {
  it("when its request is too old: the request was made at 10:00", () => {
    expect(escalates({ afterSeconds: 600 })).toBe(Date.parse(at("10:10:00")));
  });

  it("when its request is in a phase or condition that the policy names", () => {
    const given = (status: object) =>
      merge<KubeObject>(simRemediation("m1"), { status } as Partial<KubeObject>);
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: "Failed" }) })).toBe(
      Number.NEGATIVE_INFINITY,
    );
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: "Waiting" }) })).toBeUndefined();
    const conditions = [{ type: "Succeeded", status: "False" as const }];
    const said = (status: unknown) => given({ conditions: [{ type: "Succeeded", status }] });
    expect(escalates({ conditions }, { request: said("False") })).toBe(Number.NEGATIVE_INFINITY);
    for (const status of ["True", "Unknown", false, { a: 1 }]) {
      expect(escalates({ conditions }, { request: said(status) })).toBeUndefined();
    }
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: ["Failed"] }) })).toBeUndefined();
  });

  it("not of a Machine that is healthy, goes already, or is with its owner", () => {
    const policy = { afterSeconds: 60 };
    expect(escalates(policy, { machine: machineWith("m1", succeeded()) })).toBeUndefined();
    expect(escalates(policy, { verdict: { is: "healthy" } as never })).toBeUndefined();
    const going = merge(machineWith("m1", failed()), {
      metadata: { deletionTimestamp: LONG_AGO, finalizers: ["x"] },
    });
    expect(escalates(policy, { machine: going })).toBeUndefined();
    const withOwner = machineWith("m1", failed(), since(LONG_AGO, "OwnerRemediated", "False"));
    expect(escalates(policy, { machine: withOwner })).toBeUndefined();
  });

  it("not for a request that is being deleted or of an earlier Machine", () => {
    const policy = { afterSeconds: 60 };
    const going = simRemediation("m1", { metadata: { deletionTimestamp: LONG_AGO } });
    expect(escalates(policy, { request: going })).toBeUndefined();
    const earlier = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "earlier" };
    const former = simRemediation("m1", { metadata: { ownerReferences: [earlier] } });
    expect(escalates(policy, { request: former })).toBeUndefined();
  });
});
