import { describe, expect, it } from "vitest";
import { healthOf } from "../../../../functions/mhc/rules/health.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import { healthCheck } from "../../../support/health-checks.ts";

const HEALTHY: Verdict = { is: "healthy" };
const NEITHER: Verdict = { is: "neither" };
const UNKNOWN: Verdict = { is: "unknown" };
const PENDING: Verdict = { is: "pending", untilMs: 0 };

function unhealthy(reason: string, ...texts: readonly string[]): Verdict {
  return { is: "unhealthy", reason, texts };
}

function opinion(name: string, verdict: Verdict) {
  return { check: healthCheck({ metadata: { name } }), verdict };
}

function conditionFor(verdict: Verdict) {
  return healthOf([opinion("h1", verdict)]).condition;
}

describe("the condition HealthCheckSucceeded", () => {
  it("is True of a healthy Machine, without texts", () => {
    expect(conditionFor(HEALTHY)).toEqual({
      present: { type: "HealthCheckSucceeded", status: "True", reason: "HealthCheckSucceeded", message: "" },
      deprecated: { type: "HealthCheckSucceeded", status: "True" },
    });
  });

  it.each([PENDING, NEITHER, UNKNOWN])("stays as it is of one that is %j", (verdict) => {
    expect(conditionFor(verdict)).toBeUndefined();
  });

  it.each([
    ["UnhealthyMachine", ["a", "b"], "Health check failed:\n  * a\n  * b", "UnhealthyMachine", "a; b"],
    ["UnhealthyNode", ["a"], "Health check failed:\n  * a", "UnhealthyNode", "a"],
    ["NodeStartupTimeout", ["a"], "Health check failed:\n  * a", "NodeStartupTimeout", "a"],
    ["NodeDeleted", ["a"], "Health check failed:\n  * a", "NodeNotFound", undefined],
    [
      "HasRemediateAnnotation",
      [],
      "Health check failed: marked for remediation via cluster.x-k8s.io/remediate-machine annotation",
      "HasRemediateMachineAnnotation",
      "Marked for remediation via remediate-machine annotation",
    ],
  ])("is False with reason %s", (...[reason, texts, message, olderReason, olderMessage]) => {
    expect(conditionFor(unhealthy(reason, ...texts))).toEqual({
      present: { type: "HealthCheckSucceeded", status: "False", reason, message },
      deprecated: {
        type: "HealthCheckSucceeded",
        status: "False",
        severity: "Warning",
        reason: olderReason,
        ...(olderMessage === undefined ? {} : { message: olderMessage }),
      },
    });
  });

  it("has a message that the API server takes, however many texts there are", () => {
    const found = conditionFor(
      unhealthy("UnhealthyNode", ...Array.from({ length: 200 }, () => "x".repeat(900))),
    );
    expect(found?.present.message.length).toBeLessThanOrEqual(10_240);
    expect(found?.deprecated.message?.length).toBeLessThanOrEqual(10_240);
  });
});

describe("health checks that overlap", () => {
  const failing = unhealthy("UnhealthyNode", "from b");

  it.each<[string, readonly (readonly [string, Verdict])[], string | undefined]>([
    [
      "unhealthy for one of them",
      [
        ["a", HEALTHY],
        ["b", failing],
      ],
      "False",
    ],
    [
      "healthy for one and undecided for the other",
      [
        ["a", NEITHER],
        ["b", HEALTHY],
      ],
      "True",
    ],
    [
      "healthy for one and on the way to fail for the other",
      [
        ["a", HEALTHY],
        ["b", PENDING],
      ],
      "True",
    ],
    [
      "healthy for one while the other has not seen its Node",
      [
        ["a", HEALTHY],
        ["b", UNKNOWN],
      ],
      undefined,
    ],
    [
      "unhealthy for one while the other has not seen its Node",
      [
        ["a", UNKNOWN],
        ["b", failing],
      ],
      "False",
    ],
    [
      "undecided for both",
      [
        ["a", NEITHER],
        ["b", PENDING],
      ],
      undefined,
    ],
  ])("say of a Machine that is %s the same in every order", (...[, verdicts, status]) => {
    const opinions = verdicts.map(([name, verdict]) => opinion(name, verdict));
    for (const order of [opinions, opinions.toReversed()]) {
      const { lead, condition } = healthOf(order);
      expect(lead).toBe("a");
      expect(condition?.present.status).toBe(status);
    }
  });

  it("use the words of the first that fails, by name", () => {
    const opinions = [
      opinion("c", unhealthy("NodeDeleted", "from c")),
      opinion("b", failing),
      opinion("a", HEALTHY),
    ];
    expect(healthOf(opinions).condition?.present.message).toBe("Health check failed:\n  * from b");
  });
});
