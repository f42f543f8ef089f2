import { describe, expect, it } from "vitest";
import { missingChecks, recordedIn, verdictsIn } from "../../../../infra/cli/remediations/policy-history.ts";
import type { RemediationEntry } from "../../../../shared/api/remediation-policy.ts";
import { at } from "../../../support/checked-machines.ts";
import { healthCheck } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";

const policy = (name: string, ...remediations: readonly RemediationEntry[]) =>
  remediationPolicy({ metadata: { name }, status: { remediations } });
const ENDED = { outcome: "Deleted", endedAt: at("11:10:00") } as const;

describe("the histories of policies", () => {
  it("have one entry for each remediation, the one that knows its end", () => {
    const later = entryOf("m1", { startedAt: at("11:00:05") });
    const found = recordedIn([policy("r1", entryOf("m1", ENDED)), policy("r2", later)]);
    expect(found).toEqual([{ ...entryOf("m1", ENDED), namespace: "default" }]);
    const swapped = recordedIn([policy("r1", entryOf("m1")), policy("r2", { ...later, ...ENDED })]);
    expect(swapped).toMatchObject([ENDED]);
  });

  it("have two entries where a failure was remediated again, and of two Machines", () => {
    const withdrawn = entryOf("m1", { outcome: "Withdrawn", endedAt: at("11:10:00") });
    const again = entryOf("m1", { startedAt: at("11:20:00") });
    const found = recordedIn([policy("r1", withdrawn, again, entryOf("m2"))]);
    expect(found.map(({ machine, startedAt }) => [machine.name, startedAt])).toEqual([
      ["m1", at("11:00:00")],
      ["m1", at("11:20:00")],
      ["m2", at("11:00:00")],
    ]);
  });

  it("are of a Machine by its uid, not by its name", () => {
    const other = entryOf("m1", { machine: { name: "m1", uid: "another" } });
    expect(recordedIn([policy("r1", entryOf("m1"), other)])).toHaveLength(2);
  });

  it("have each recorded failure once, and may have none", () => {
    const verdict = { machine: { name: "m1", uid: "u" }, failedAt: at("11:00:00"), reason: "UnhealthyNode" };
    const recording = remediationPolicy({ status: { verdicts: [verdict] } });
    expect(verdictsIn([recording, recording, remediationPolicy()])).toEqual([
      { ...verdict, namespace: "default" },
    ]);
  });

  it("show which health checks of a policy do not exist, by namespace", () => {
    const named = remediationPolicy({ spec: { healthChecks: ["h1", "h9"] } });
    const elsewhere = healthCheck({ metadata: { name: "h9", namespace: "other" } });
    expect(missingChecks([named, remediationPolicy()], [healthCheck(), elsewhere])).toEqual([
      "RemediationPolicy default/r1 names the MachineHealthCheck h9, which does not exist: it has no effect until then",
    ]);
  });
});
