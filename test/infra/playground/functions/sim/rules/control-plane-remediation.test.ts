import { describe, expect, it } from "vitest";
import {
  type Remediation,
  remediation,
} from "../../../../../../infra/playground/functions/sim/rules/control-plane-remediation.ts";
import type { Machine } from "../../../../../../shared/api/machine/machine.ts";
import type { Overrides } from "../../../../../support/builders.ts";
import { controlPlaneMachine, stored } from "../../../../../support/control-planes.ts";
import { NOW } from "../../../../../support/world.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };

/** A Machine that a health check has handed over; `reason` is what its control plane has said since. */
function sick(name: string, reason = "WaitingForRemediation", overrides: Overrides<Machine> = {}): Machine {
  const conditions = [
    stored("HealthCheckSucceeded", "False", "NodeNotHealthy"),
    stored("OwnerRemediated", "False", reason),
  ];
  return controlPlaneMachine(name, { ...overrides, status: { nodeRef: { name }, conditions } });
}

const [A, B, C] = [controlPlaneMachine("a"), controlPlaneMachine("b"), controlPlaneMachine("c")];

/** Reasons and messages by Machine, then the Machines that are deleted. */
function decided(machines: readonly Machine[], changes: Partial<Remediation> = {}) {
  const writes = remediation({
    machines,
    isInitialized: true,
    now: NOW,
    ...changes,
  });
  return writes === undefined
    ? undefined
    : [
        ...writes.patch.flatMap(({ target, operations }) =>
          operations.flatMap((operation) => {
            const value =
              "value" in operation ? (operation.value as { reason: string; message: string }) : undefined;
            return value === undefined ? [] : [`${target.name} ${value.reason}: ${value.message}`];
          }),
        ),
        ...writes.delete.map(({ target }) => `delete ${target.name} ${target.uid} ${target.resourceVersion}`),
      ];
}

describe("remediation of a control plane", () => {
  it("has nothing to do while no Machine was handed over, or only one that is going", () => {
    expect(decided([A, B, C])).toBeUndefined();
    expect(decided([A, B, sick("c", "WaitingForRemediation", GOING)])).toBeUndefined();
  });

  it("marks a Machine in one run, and deletes it in the next", () => {
    expect(decided([A, B, sick("c")])).toEqual(["c MachineDeleting: Machine is deleting"]);
    expect(decided([A, B, sick("c", "MachineDeleting")])).toEqual(["delete c uid-c 70"]);
  });

  it("continues with the next while Machines are missing: they are made only once all are Ready", () => {
    expect(decided([A, sick("c", "RemediationDeferred")])).toEqual([
      "c MachineDeleting: Machine is deleting",
    ]);
  });

  it("takes one although another that was handed over will never get its Node", () => {
    const never = sick("b");
    const machines = [
      A,
      { ...never, status: { ...never.status, nodeRef: undefined } },
      sick("c", "MachineDeleting"),
    ];
    expect(decided(machines)).toEqual(["delete c uid-c 70"]);
  });

  it("takes the first one, which comes alone, also before the control plane is initialized", () => {
    expect(decided([sick("c", "MachineDeleting")], { isInitialized: false })).toEqual(["delete c uid-c 70"]);
  });

  it("takes the oldest first, finishes one that is marked, and defers the others", () => {
    const older = sick("c", "WaitingForRemediation", {
      metadata: { creationTimestamp: "2025-01-01T00:00:00Z" },
    });
    expect(decided([A, sick("b"), older])).toEqual([
      "b RemediationDeferred: Machine c is remediated first",
      "c MachineDeleting: Machine is deleting",
    ]);
    expect(decided([A, sick("b", "MachineDeleting"), older])).toEqual(["delete b uid-b 70"]);
  });

  it.each<readonly [string, readonly Machine[], Partial<Remediation>, string]>([
    [
      "another one is going",
      [A, controlPlaneMachine("b", GOING), sick("c")],
      {},
      "Waiting for Machine b to be deleted",
    ],
    [
      "another one has no Node yet",
      [A, controlPlaneMachine("b", { status: { nodeRef: undefined } }), sick("c")],
      {},
      "Waiting for Machine b to get its Node",
    ],
    ["no other is Ready", [sick("c")], {}, "No other Machine of the control plane is Ready"],
  ])("is deferred while %s", (_, machines, changes, why) => {
    expect(decided(machines, changes)).toEqual([`c RemediationDeferred: ${why}`]);
  });

  it("does not delete a marked Machine either while something is against it", () => {
    expect(decided([sick("c", "MachineDeleting")])).toEqual([
      "c RemediationDeferred: No other Machine of the control plane is Ready",
    ]);
  });
});
