import { describe, expect, it } from "vitest";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { remediationPolicy } from "../../support/remediation-policies.ts";
import { changed } from "./manifests.ts";

const time = "2026-11-21T03:00:00Z";
const entry = {
  machine: { name: "m1", uid: "u1" },
  failedAt: time,
  healthCheck: "h1",
  reason: "UnhealthyNode",
  startedAt: time,
  by: "Owner",
  controller: "u2",
  controlPlane: true,
  outcome: "Deleted",
  endedAt: time,
};
const complete = {
  clusterName: "c1",
  healthChecks: ["h1", "h2"],
  pacing: { maxRemediations: 3, windowSeconds: 3_600 },
  cooldownSeconds: 0,
  retries: { perMachine: 2, perController: 0, windowSeconds: 604_800 },
  escalation: {
    afterSeconds: 60,
    phases: ["Failed"],
    conditions: [{ type: "Succeeded", status: "False" }],
  },
  controlPlaneQuorum: true,
  history: { maxEntries: 10, recordVerdicts: true },
};

describe("RemediationPolicy", () => {
  it("keeps a complete spec and status", () => {
    const verdicts = [{ machine: entry.machine, failedAt: time, reason: "NodeDeleted" }];
    const status = { underWay: 0, remediations: [entry], verdicts };
    const object = changed(changed(remediationPolicy(), "spec", complete), "status", status);
    expect(RemediationPolicy.schema?.().parse(object)).toEqual(object);
  });

  it.each([
    ["clusterName", ""],
    ["healthChecks", []],
    ["healthChecks", ["Not A Name"]],
    ["healthChecks", Array.from({ length: 101 }, (_, index) => `h${index}`)],
    ["pacing", { maxRemediations: 0, windowSeconds: 60 }],
    ["pacing", { maxRemediations: 1, windowSeconds: 59 }],
    ["pacing", { maxRemediations: 1, windowSeconds: 604_801 }],
    ["pacing", { windowSeconds: 60 }],
    ["cooldownSeconds", -1],
    ["cooldownSeconds", 604_801],
    ["retries", { perMachine: -1, windowSeconds: 60 }],
    ["retries", { perMachine: 1 }],
    ["escalation", {}],
    ["escalation", { afterSeconds: 59 }],
    ["escalation", { conditions: [{ type: "Succeeded", status: "Bad" }] }],
    ["history", { maxEntries: 9 }],
    ["history", { maxEntries: 501 }],
  ])("refuses %s %j", (field, value) => {
    const object = changed(remediationPolicy(), `spec/${field}`, value);
    expect(RemediationPolicy.schema?.().safeParse(object).success).toBe(false);
  });
});
