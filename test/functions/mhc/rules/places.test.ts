import { describe, expect, it } from "vitest";
import { calmAtMs, lastChangeMs, leftOverAtMs, usesPlace } from "../../../../functions/mhc/rules/places.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { OWNED_BY_S1 } from "../../../support/foo-sets.ts";
import { healthCheck, since, target } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

/** `NOW` is 12:00:00. */
const at = (time: string) => `2026-01-01T${time}Z`;
const ms = (time: string) => Date.parse(at(time));
const HEALTHY: Verdict = { is: "healthy" };
const LONG_AGO = at("08:00:00");
const templateRef = { apiVersion: "remediation.example.com/v1", kind: "FooTemplate", name: "t" };
const external = healthCheck({ spec: { remediation: { templateRef } } });

function machineWith(...conditions: readonly Condition[]): Machine {
  return target("m1", { status: { conditions } });
}

function controlled(machine: Machine): Machine {
  return { ...machine, metadata: { ...machine.metadata, ownerReferences: [OWNED_BY_S1] } };
}

const succeeded = (time = LONG_AGO) => since(time, "HealthCheckSucceeded", "True");
const failed = (time = LONG_AGO) => since(time, "HealthCheckSucceeded", "False");
const handedOver = since(LONG_AGO, "OwnerRemediated", "False");
const marked = since(LONG_AGO, "ExternallyRemediated", "False");

describe("a place of the limit", () => {
  it.each<[string, boolean, Machine, Partial<{ verdict: Verdict; hasRequest: boolean }>]>([
    ["healthy", false, machineWith(succeeded()), {}],
    ["pending", true, machineWith(succeeded()), { verdict: { is: "pending", untilMs: 0 } }],
    ["neither", true, machineWith(succeeded()), { verdict: { is: "neither" } }],
    ["unknown", true, machineWith(succeeded()), { verdict: { is: "unknown" } }],
    ["unhealthy", true, machineWith(succeeded()), { verdict: { is: "unhealthy", reason: "", texts: [] } }],
    ["healthy with a failed check", true, machineWith(failed()), {}],
    ["recovered and still with its owner", true, controlled(machineWith(succeeded(), handedOver)), {}],
    ["recovered, without an owner", false, machineWith(succeeded(), handedOver), {}],
    [
      "given back by its owner",
      false,
      controlled(machineWith(succeeded(), since(LONG_AGO, "OwnerRemediated", "True"))),
      {},
    ],
    ["healthy with a request", true, machineWith(succeeded()), { hasRequest: true }],
  ])("of a Machine that is %s: used is %j", (...[, used, machine, more]) => {
    const occupant = { machine, verdict: HEALTHY, hasRequest: false, ...more };
    expect(usesPlace(healthCheck(), occupant, NOW)).toBe(used);
  });

  it.each([
    ["11:59:29", false],
    ["11:59:30", true],
    ["12:00:00", true],
  ])("is kept for a request under way, of a Machine that has recovered at %s: %j", (time, used) => {
    const occupant = {
      machine: machineWith(succeeded(at(time)), marked),
      verdict: HEALTHY,
      hasRequest: false,
    };
    expect(usesPlace(external, occupant, NOW)).toBe(used);
    expect(usesPlace(healthCheck(), occupant, NOW)).toBe(false);
    const unmarked = { ...occupant, machine: machineWith(succeeded(at(time))) };
    expect(usesPlace(external, unmarked, NOW)).toBe(false);
  });

  it("is taken back a minute after the recovery, of an owner that may still act", () => {
    const recovered = machineWith(succeeded(at("11:59:00")), handedOver);
    expect(leftOverAtMs(controlled(recovered))).toBe(ms("12:00:01"));
    expect(leftOverAtMs(recovered)).toBeUndefined();
    expect(leftOverAtMs(controlled(machineWith(failed(), handedOver)))).toBeUndefined();
    expect(leftOverAtMs(controlled(machineWith(succeeded())))).toBeUndefined();
  });
});

describe("calm", () => {
  it("comes six seconds after the last stamp of any target, failed or recovered", () => {
    const candidate = machineWith(failed(at("11:59:30")));
    const others = [
      machineWith(succeeded(at("11:59:50"))),
      machineWith(failed(at("11:59:40"))),
      target("m9"),
    ];
    expect(calmAtMs(lastChangeMs([candidate, ...others]), candidate)).toBe(ms("11:59:56"));
    expect(calmAtMs(lastChangeMs([candidate]), candidate)).toBe(ms("11:59:36"));
  });

  it("is not waited for longer than a minute, however often other checks change", () => {
    const candidate = machineWith(failed(at("11:59:00")));
    const restless = machineWith(failed(at("11:59:59")));
    expect(calmAtMs(lastChangeMs([candidate, restless]), candidate)).toBe(ms("12:00:00"));
    const ahead = machineWith(succeeded("2030-01-01T00:00:00Z"));
    expect(calmAtMs(lastChangeMs([candidate, ahead]), candidate)).toBe(ms("12:00:00"));
  });
});
