import { describe, expect, it } from "vitest";
import { budgetOf, limitOf } from "../../../../functions/mhc/rules/limit.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import type { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { healthCheck } from "../../../support/health-checks.ts";

type Remediation = NonNullable<MachineHealthCheck["spec"]["remediation"]>;
type TriggerIf = Remediation["triggerIf"];

const UNHEALTHY: Verdict = { is: "unhealthy", reason: "UnhealthyNode", texts: ["broken"] };

function checkWith(triggerIf: TriggerIf): MachineHealthCheck {
  return healthCheck({ spec: { remediation: triggerIf === undefined ? undefined : { triggerIf } } });
}

/** So many targets, so many of them unhealthy and the rest healthy. */
function budget(triggerIf: TriggerIf, total: number, unhealthy: number) {
  const verdicts = Array.from(
    { length: total },
    (_, at): Verdict => (at < unhealthy ? UNHEALTHY : { is: "healthy" }),
  );
  return budgetOf(checkWith(triggerIf), verdicts);
}

const most = (unhealthyLessThanOrEqualTo: number | string): TriggerIf => ({ unhealthyLessThanOrEqualTo });

describe("a limit of unhealthy Machines", () => {
  it.each<[number, TriggerIf, number, boolean, number]>([
    [3, undefined, 3, true, 0],
    [3, undefined, 1, true, 2],
    [3, most(1), 1, true, 0],
    [3, most(1), 2, false, 0],
    [3, most(5), 1, true, 4],
    [3, most(0), 0, true, 0],
    [3, most(0), 1, false, 0],
    [3, most(-1), 0, false, 0],
    [25, most("40%"), 10, true, 0],
    [25, most("40%"), 11, false, 0],
    [6, most("40%"), 2, true, 0],
    [6, most("40%"), 3, false, 0],
    [5, most("40%"), 2, true, 0],
    [7, most("60%"), 4, true, 0],
    [7, most("60%"), 5, false, 0],
    [2, most("40%"), 1, false, 0],
    [5, most("50%"), 3, false, 0],
    [4, most("150%"), 4, true, 2],
    [0, most("40%"), 0, true, 0],
    [0, undefined, 0, true, 0],
    [3, most("+40%"), 1, true, 0],
    [3, most("-5%"), 0, false, 0],
    [3, most(2 ** 31), 0, true, 2 ** 31 - 1],
    [10_001, most("100%"), 1, true, 10_000],
  ])("%i targets with %j, %i not healthy: allowed is %j, further ones %i", (...row) => {
    const [total, triggerIf, notHealthy, isAllowed, remediationsAllowed] = row;
    expect(budget(triggerIf, total, notHealthy)).toMatchObject({
      expectedMachines: total,
      currentHealthy: total - notHealthy,
      notHealthy,
      isAllowed,
      remediationsAllowed,
    });
  });

  it.each<[number, string, number, boolean, number]>([
    [10, "[3-5]", 2, false, 0],
    [10, "[3-5]", 3, true, 2],
    [10, "[3-5]", 4, true, 1],
    [10, "[3-5]", 5, true, 0],
    [10, "[3-5]", 6, false, 0],
    [3, "[1-3]", 0, false, 0],
    [3, "[0-1]", 0, true, 1],
    [3, "[2-2]", 2, true, 0],
    [3, "[007-2147483647]", 3, false, 0],
  ])("%i targets in the range %s, %i not healthy: allowed is %j, further ones %i", (...row) => {
    const [total, unhealthyInRange, notHealthy, isAllowed, remediationsAllowed] = row;
    // The range wins over the other field.
    const triggerIf = { unhealthyInRange, unhealthyLessThanOrEqualTo: 0 };
    expect(budget(triggerIf, total, notHealthy)).toMatchObject({ isAllowed, remediationsAllowed });
  });

  it("is used by all that are not healthy: pending, neither, unknown", () => {
    const verdicts: readonly Verdict[] = [
      { is: "healthy" },
      { is: "pending", untilMs: 1 },
      { is: "neither" },
      { is: "unknown" },
      UNHEALTHY,
    ];
    expect(budgetOf(checkWith(most(3)), verdicts)).toEqual({
      expectedMachines: 5,
      currentHealthy: 1,
      notHealthy: 4,
      unhealthy: 1,
      isAllowed: false,
      remediationsAllowed: 0,
      message:
        "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: 5, unhealthy: 1, maxUnhealthy: 3)",
      hasProblem: false,
    });
  });

  it("says the setting as it is written", () => {
    expect(budget(most("40%"), 5, 3).message).toMatch(
      /exceeds maxUnhealthy \(total: 5, unhealthy: 3, maxUnhealthy: 40%\)$/,
    );
    expect(budget({ unhealthyInRange: "[3-5]" }, 10, 2).message).toBe(
      "Remediation is not allowed, the number of not started or unhealthy machines does not fall within the range (total: 10, unhealthy: 2, unhealthyRange: [3-5])",
    );
    expect(budget(most(2), 5, 2).message).toBe("");
  });

  it.each(["10", "40.5%", "", "4 0%", `${"9".repeat(30)}%`, "many"])(
    "of %j allows nothing and names the field",
    (limit) => {
      const found = budget(most(limit), 3, 1);
      expect(found).toMatchObject({
        expectedMachines: 3,
        currentHealthy: 2,
        isAllowed: false,
        remediationsAllowed: 0,
      });
      expect(found.message).toMatch(
        /^spec\.remediation\.triggerIf\.unhealthyLessThanOrEqualTo: ".*" is neither a number nor a percentage; write it as 2 or "40%"$/,
      );
    },
  );

  it.each(["[5-3]", "[0-2147483648]", "[1-99999999999999999999999999]", "1-3", "[a-b]"])(
    "of the range %s allows nothing and names the field",
    (unhealthyInRange) => {
      const found = budget({ unhealthyInRange }, 3, 1);
      expect(found).toMatchObject({ currentHealthy: 2, isAllowed: false, remediationsAllowed: 0 });
      expect(found.message).toMatch(/^spec\.remediation\.triggerIf\.unhealthyInRange: "/);
    },
  );

  it.each<[TriggerIf, boolean]>([
    [undefined, true],
    [most("100%"), true],
    [most("150%"), true],
    [most("99%"), false],
    [most(1_000), false],
    [{ unhealthyInRange: "[0-1000]" }, false],
  ])("reserves no place where all may go: %j is %j", (triggerIf, isNone) => {
    expect(limitOf(checkWith(triggerIf), 3)).toMatchObject({ isNone });
  });
});
