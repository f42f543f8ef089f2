import { describe, expect, it } from "vitest";
import { ownStatus } from "../../../../functions/machine/rules/own-status.ts";
import { machineCondition } from "../../../support/builders.ts";

const STORED = {
  phase: "Running",
  conditions: ["Ready", "UpToDate", "Deleting", "HealthCheckSucceeded", "OwnerRemediated"].map((type) =>
    machineCondition(type, "True", "X"),
  ),
  deletion: {
    nodeDrainStartTime: "2026-01-01T11:00:00Z",
    waitForPreDrainHookStartTime: "2026-01-01T10:00:00Z",
  },
  deprecated: { v1beta1: { failureReason: "R", conditions: [] } },
} as const;

describe("the part of the status that machine-status writes", () => {
  it.each([
    ["without turns", [], ["Ready"]],
    ["beside a MachineDeployment, with the drain's word", ["UpToDate"], ["Ready", "UpToDate"]],
    ["while the drain has nothing to say", ["Deleting"], ["Ready", "Deleting"]],
  ] as const)("has no conditions of others: %s", (_, turns, types) => {
    const own = ownStatus(STORED, new Set(turns));
    expect(own.conditions?.map(({ type }) => type)).toEqual(types);
  });

  it("has the whole deprecated list and the failures, not the drain's start times, and no empty member", () => {
    expect(ownStatus(STORED, new Set())).toMatchObject({
      phase: "Running",
      deletion: { waitForPreDrainHookStartTime: "2026-01-01T10:00:00Z" },
      deprecated: STORED.deprecated,
    });
    expect(ownStatus({ deletion: { nodeDrainStartTime: "2026-01-01T11:00:00Z" } }, new Set())).toEqual({});
    expect(ownStatus(undefined, new Set())).toEqual({});
  });
});
