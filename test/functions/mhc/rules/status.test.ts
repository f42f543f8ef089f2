import { describe, expect, it } from "vitest";
import { budgetOf } from "../../../../functions/mhc/rules/limit.ts";
import { checkReport } from "../../../../functions/mhc/rules/status.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import { machineWith } from "../../../support/checked-machines.ts";
import { healthCheck, upCluster } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

describe("the status of 10,001 targets", () => {
  const check = healthCheck();
  const targets = Array.from({ length: 10_001 }, (_, index) => machineWith(`m${index}`));
  const verdicts: readonly Verdict[] = targets.map(() => ({ is: "healthy" }));
  const report = (of = check) =>
    checkReport({
      check: of,
      cluster: upCluster(),
      now: NOW,
      settled: true,
      found: { targets, checks: [check], verdicts, budget: budgetOf(check, verdicts), exists: {} },
    });

  it("counts all, names the first 10,000, and says so once", () => {
    const { status, events } = report();
    expect([status.expectedMachines, status.targets?.length]).toEqual([10_001, 10_000]);
    expect(events).toMatchObject([{ reason: "TooManyTargets" }]);
    expect(report({ ...check, status }).events).toEqual([]);
  });
});
