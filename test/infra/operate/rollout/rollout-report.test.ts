import { describe, expect, it } from "vitest";
import { type RolloutReport, rolloutReport } from "../../../../infra/operate/rollout/rollout-report.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";
import { ROLLED_SET, rollingFacts } from "../../../support/rolling-deployment.ts";

const NEW = /^d1-[a-z0-9]{5}$/;

function report(
  deployment: Overrides<MachineDeployment> = {},
  machine: Overrides<Machine> = {},
): RolloutReport {
  return rolloutReport(rollingFacts({ deployment, machine }));
}

describe("the report of a rollout", () => {
  it("names each victim by the order in which its set deletes Machines", () => {
    const { steps, end, newSet, withBrokenTemplate } = report({}, { metadata: { name: "m9" } });
    expect(steps.flatMap(({ gone }) => gone.map(({ machine }) => machine))).toEqual(["m1", "m2", "m9"]);
    expect(end).toBe("done");
    expect(newSet).toMatch(NEW);
    expect(withBrokenTemplate).toEqual({ afterSteps: 1, machines: 4, available: 3 });
  });

  it("lets a Machine go first that a person has marked", () => {
    const marked = { metadata: { name: "m9", annotations: { "cluster.x-k8s.io/delete-machine": "" } } };
    expect(report({}, marked).steps[1]?.gone).toEqual([{ set: ROLLED_SET, machine: "m9" }]);
  });

  it("expects nothing of a Machine that a health check has found unhealthy", () => {
    const status = {
      conditions: [
        machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
        machineCondition("Available", "False", "NotAvailable"),
      ],
    };
    const sick = report(
      { spec: { template: { spec: { version: undefined } } } },
      { metadata: { name: "m9" }, status },
    );
    expect({ steps: sick.steps, end: sick.end }).toEqual({ steps: [], end: "availability" });
  });

  it("stops where a broken template would stop it", () => {
    const { steps, end, withBrokenTemplate } = rolloutReport(rollingFacts({}), undefined, "never");
    expect({ steps: steps.length, end, withBrokenTemplate }).toEqual({
      ...{ steps: 1, end: "availability", withBrokenTemplate: undefined },
    });
  });

  it("shows the steps of rollout.after when nothing happens before", () => {
    const rollout = { after: "2027-01-01T00:00:00Z" };
    const { startsAt, steps } = report({ spec: { rollout, template: { spec: { version: undefined } } } });
    expect(startsAt).toBe("2027-01-01T00:00:00.000Z");
    expect(steps[0]?.changes[0]).toMatchObject({ do: "create", replicas: 1, revision: "2" });
    expect(report({ spec: { rollout } }).startsAt).toBeUndefined();
  });

  it("does nothing while a template is missing, and makes no Machine while a check fails", () => {
    const facts = rollingFacts({});
    const missing = { missing: ["FooMachineTemplate default/t does not exist"], checks: [] };
    expect(rolloutReport(facts, missing)).toMatchObject({ steps: [], end: "blocked", blockers: missing });
    const wrong = { spec: { rollout: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } } };
    expect(rolloutReport(rollingFacts({ deployment: wrong }))).toMatchObject({ steps: [], end: "blocked" });
    const checks = { missing: [], checks: ["FooControlPlane default/c1 is upgrading"] };
    const held = rolloutReport(facts, checks);
    expect(held.steps.map(({ made }) => made)).toEqual([[]]);
    expect(held.end).toBe("availability");
  });

  it("is not held up by what only concerns a set that is not due", () => {
    const facts = { ...rollingFacts({}), deployment: machineDeployment() };
    const missing = { missing: ["FooMachineTemplate default/t does not exist"], checks: ["a check"] };
    expect(rolloutReport(facts, missing)).toMatchObject({
      ...{ steps: [], end: "done", blockers: { missing: [], checks: [] } },
    });
  });

  it("says that rollouts are paused", () => {
    expect(report({ spec: { paused: true } })).toMatchObject({
      ...{ steps: [], end: "paused" },
      standsStill: { cause: "spec.paused is true", isHeld: true, isOverdue: false },
    });
  });

  it("makes no Machine where the current set says that checks fail, and nothing is read live", () => {
    const facts = rollingFacts({});
    const message =
      'Scaling up from 0 to 1 replicas is blocked because:\n* FooControlPlane default/c1 is upgrading ("ControlPlaneIsStable" preflight check failed)';
    const next = setOfDeployment("d1-next", {
      metadata: { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "2" } },
      spec: { replicas: 1, template: { spec: facts.deployment.spec.template.spec } },
      status: { replicas: 0, conditions: [machineCondition("ScalingUp", "True", "ScalingUp", message)] },
    });
    const { steps, standsStill } = rolloutReport({ ...facts, sets: [...facts.sets, next] });
    expect(steps).toEqual([]);
    expect(standsStill?.cause).toContain(
      "MachineSet d1-next makes no Machine: FooControlPlane default/c1 is upgrading",
    );
  });
});
