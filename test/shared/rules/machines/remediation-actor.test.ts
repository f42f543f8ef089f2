import { describe, expect, it } from "vitest";
import { actorText, remediationActor } from "../../../../shared/rules/machines/remediation-actor.ts";
import { machineWith } from "../../../support/checked-machines.ts";
import { healthCheck, target } from "../../../support/health-checks.ts";

const templateRef = { apiVersion: "a.b/v1", kind: "FooRemediationTemplate", name: "t" };
const outside = healthCheck({ spec: { remediation: { templateRef } } });

describe("what acts on a Machine that a health check hands over", () => {
  it("is the request of the template, else the owner of the Machine", () => {
    expect(remediationActor(outside, machineWith("m1"))).toEqual({
      apiVersion: "a.b/v1",
      kind: "FooRemediation",
      name: "m1",
    });
    const owner = remediationActor(healthCheck(), machineWith("m1"));
    expect(owner).toEqual({ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineSet", name: "s1" });
    expect(owner && actorText(owner)).toBe("MachineSet s1");
    expect(remediationActor(healthCheck(), target("m1"))).toBeUndefined();
  });
});
