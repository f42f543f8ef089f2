import { describe, expect, it } from "vitest";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { healthCheck } from "../../support/health-checks.ts";
import { changed } from "./manifests.ts";

const time = "2026-11-21T03:00:00Z";
const status = {
  conditions: [
    {
      type: "RemediationAllowed",
      status: "True",
      reason: "RemediationAllowed",
      message: "",
      lastTransitionTime: time,
    },
  ],
  expectedMachines: 0,
  currentHealthy: 0,
  remediationsAllowed: 0,
  observedGeneration: 1,
  targets: ["m1"],
  deprecated: {
    v1beta1: { conditions: [{ type: "RemediationAllowed", status: "True", lastTransitionTime: time }] },
  },
};
const templateRef = {
  apiVersion: "infrastructure.example.com/v1beta1",
  kind: "FooRemediationTemplate",
  name: "t1",
};

describe("MachineHealthCheck", () => {
  it("keeps a complete spec and status", () => {
    const triggerIf = { unhealthyLessThanOrEqualTo: "40%", unhealthyInRange: "[1-3]" };
    const unhealthyMachineConditions = [{ type: "NodeHealthy", status: "Unknown", timeoutSeconds: 0 }];
    const whole = changed(healthCheck(), "spec/remediation", { triggerIf, templateRef });
    const object = changed(
      changed(whole, "spec/checks/unhealthyMachineConditions", unhealthyMachineConditions),
      "status",
      status,
    );
    expect(MachineHealthCheck.schema?.().parse(object)).toEqual(object);
  });

  it.each([
    ["without a Cluster name", "spec/clusterName", undefined],
    ["without a selector", "spec/selector", undefined],
    ["with checks that check nothing", "spec/checks", {}],
    ["with a negative startup timeout", "spec/checks/nodeStartupTimeoutSeconds", -1],
    ["with an empty list of conditions", "spec/checks/unhealthyNodeConditions", []],
    ["with a condition without status", "spec/checks/unhealthyNodeConditions/0/status", undefined],
    [
      "with a condition of its own",
      "spec/checks/unhealthyMachineConditions",
      [{ type: "OwnerRemediated", status: "False", timeoutSeconds: 0 }],
    ],
    [
      "with a Machine condition of an odd status",
      "spec/checks/unhealthyMachineConditions",
      [{ type: "NodeHealthy", status: "Bad", timeoutSeconds: 0 }],
    ],
    ["with remediation that says nothing", "spec/remediation", {}],
    ["with a range without brackets", "spec/remediation", { triggerIf: { unhealthyInRange: "1-3" } }],
    [
      "with a template without a group",
      "spec/remediation",
      { templateRef: { ...templateRef, apiVersion: "v1" } },
    ],
    ["with an empty status", "status", {}],
    ["with a negative count", "status", { currentHealthy: -1 }],
  ])("is refused %s", (_, pointer, value) => {
    expect(MachineHealthCheck.schema?.().safeParse(changed(healthCheck(), pointer, value)).success).toBe(
      false,
    );
  });
});
