import { describe, expect, it } from "vitest";
import { FLOORS, heldBack, isRollingOut, UNSETTLED } from "../../../../shared/rules/status/pace.ts";
import { machinePool } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

function unsettled(creationTimestamp: string | undefined, isDue = true) {
  const object = machinePool({ metadata: { creationTimestamp } });
  return heldBack([UNSETTLED], { object, isDue: () => isDue }, NOW);
}

describe("the status of an object whose siblings still write", () => {
  it.each([
    ["2026-01-01T12:00:00Z", 60_000],
    ["2026-01-01T11:59:01Z", 1_000],
    ["2026-01-01T12:10:00Z", 60_000],
  ])("waits until the object is a minute old: created at %s", (createdAt, afterMs) => {
    expect(unsettled(createdAt)).toMatchObject({ result: { type: "requeue", afterMs } });
  });

  it.each(["2026-01-01T11:59:00Z", "2026-01-01T11:00:00Z", undefined])(
    "does not wait for an older object, or one without age: created at %s",
    (createdAt) => {
      expect(unsettled(createdAt)).toBeUndefined();
    },
  );

  it("does not wait when they have nothing to write", () => {
    expect(unsettled("2026-01-01T12:00:00Z", false)).toBeUndefined();
  });
});

describe("MA-10: the time between two statuses of a deleted Machine", () => {
  it.each([
    ["2026-01-01T12:00:00Z", 10_000],
    ["2026-01-01T12:00:30Z", 10_000],
    ["2026-01-01T11:59:50Z", 10_000],
    ["2026-01-01T11:59:20Z", 20_000],
    ["2026-01-01T11:00:00Z", 30_000],
    ["yesterday", 10_000],
  ])("follows from how long the deletion has taken: since %s %i ms", (deletionTimestamp, ms) => {
    expect(FLOORS.deletedMachine(soloMachine({ metadata: { deletionTimestamp } }), NOW)).toBe(ms);
  });
});

describe("CL-3.8: the time between two statuses of a Cluster", () => {
  it.each([
    [0, 1_000],
    [50, 1_000],
    [51, 2_000],
    [300, 5_000],
    [1_000, 5_000],
    [1_001, 6_000],
  ])("grows with its Machines: %i of them, %i ms", (machines, ms) => {
    expect(FLOORS.cluster(machines)).toBe(ms);
  });
});

describe("the pace of a rollout", () => {
  it("is that of a status whose condition RollingOut is True", () => {
    const of = (status: string) => isRollingOut({ conditions: [{ type: "RollingOut", status }] });
    expect([of("True"), of("False"), of("Unknown"), isRollingOut({})]).toEqual([true, false, false, false]);
  });
});
