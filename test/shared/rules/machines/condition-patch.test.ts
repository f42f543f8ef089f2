import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { compareText, condition } from "../../../../shared/rules/conditions/conditions.ts";
import { deprecatedCondition } from "../../../../shared/rules/conditions/deprecated-conditions.ts";
import { conditionOperations } from "../../../../shared/rules/machines/condition-patch.ts";
import { since, target } from "../../../support/health-checks.ts";
import { patched } from "../../../support/patched.ts";
import { NOW } from "../../../support/world.ts";

const LONG_AGO = "2026-01-01T08:00:00Z";
const NOON = "2026-01-01T12:00:00Z";
const failed = {
  present: [condition("HealthCheckSucceeded", "False", "UnhealthyNode", "broken")],
  deprecated: [
    deprecatedCondition("HealthCheckSucceeded", "False", { severity: "Warning", reason: "UnhealthyNode" }),
  ],
};

function machineWith(
  types: readonly string[] | undefined,
  olderTypes: readonly string[] | undefined = types,
): Machine {
  const conditions = types?.map((type) => since(LONG_AGO, type, "True"));
  const older = olderTypes?.map((type) => ({ type, status: "True", lastTransitionTime: LONG_AGO }));
  const status = {
    conditions,
    ...(older === undefined ? {} : { deprecated: { v1beta1: { conditions: older } } }),
  };
  return { ...target(), status: { nodeRef: { name: "m1" }, ...status } };
}

function typesOf(machine: Machine): readonly (readonly string[] | undefined)[] {
  const { conditions, deprecated } = machine.status ?? {};
  return [conditions, deprecated?.v1beta1?.conditions].map((list) => list?.map(({ type }) => type));
}

describe("a patch of the conditions of a Machine", () => {
  it("adds to each family at the sorted place, and changes no other entry", () => {
    const machine = machineWith(["Available", "Ready"], ["Ready", "Available"]);
    const operations = conditionOperations(machine, failed, NOW);
    expect(operations).toEqual([
      {
        op: "add",
        path: "/status/conditions/2",
        value: {
          type: "HealthCheckSucceeded",
          status: "False",
          reason: "UnhealthyNode",
          message: "broken",
          observedGeneration: 1,
          lastTransitionTime: NOON,
        },
      },
      {
        op: "add",
        path: "/status/deprecated/v1beta1/conditions/2",
        value: {
          type: "HealthCheckSucceeded",
          status: "False",
          severity: "Warning",
          reason: "UnhealthyNode",
          lastTransitionTime: NOON,
        },
      },
    ]);
    expect(typesOf(patched(machine, operations))).toEqual([
      ["Available", "Ready", "HealthCheckSucceeded"],
      ["Ready", "Available", "HealthCheckSucceeded"],
    ]);
  });

  it("says nothing twice", () => {
    const once = patched(machineWith(["Ready"]), conditionOperations(machineWith(["Ready"]), failed, NOW));
    expect(conditionOperations(once, failed, new Date("2026-01-01T13:00:00Z"))).toEqual([]);
  });

  it("moves the time of the older family with any text, that of the other one with the status only", () => {
    const once = patched(machineWith(["Ready"]), conditionOperations(machineWith(["Ready"]), failed, NOW));
    const later = {
      present: [condition("HealthCheckSucceeded", "False", "NodeDeleted", "gone")],
      deprecated: [
        deprecatedCondition("HealthCheckSucceeded", "False", { severity: "Warning", reason: "NodeNotFound" }),
      ],
    };
    const operations = conditionOperations(once, later, new Date("2026-01-01T13:00:00Z"));
    expect(operations).toEqual([
      {
        op: "replace",
        path: "/status/conditions/1",
        value: expect.objectContaining({ reason: "NodeDeleted", lastTransitionTime: NOON }),
      },
      {
        op: "replace",
        path: "/status/deprecated/v1beta1/conditions/1",
        value: expect.objectContaining({ lastTransitionTime: "2026-01-01T13:00:00Z" }),
      },
    ]);
  });

  it.each<[string, Machine]>([
    ["no status", { ...target(), status: undefined }],
    ["no conditions", machineWith(undefined)],
    ["no older conditions", machineWith(["Ready"], undefined)],
    ["other older fields", { ...target(), status: { deprecated: { v1beta1: { failureReason: "x" } } } }],
  ])("adds the parents to a Machine with %s", (_, machine) => {
    const { status } = patched(machine, conditionOperations(machine, failed, NOW));
    expect(status?.conditions).toContainEqual(expect.objectContaining({ status: "False" }));
    expect(status?.deprecated?.v1beta1?.conditions).toContainEqual(
      expect.objectContaining({ status: "False" }),
    );
    expect(status?.deprecated?.v1beta1?.failureReason).toBe(
      machine.status?.deprecated?.v1beta1?.failureReason,
    );
  });

  it("removes and adds at once, also in lists that are in no order, and leaves all others", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom("Z", "OwnerRemediated", "A", "Ready", "HealthCheckSucceeded", "M")),
        fc.uniqueArray(fc.constantFrom("OwnerRemediated", "Ready", "B", "HealthCheckSucceeded")),
        (types, olderTypes) => {
          const machine = machineWith(types, olderTypes);
          const changes = { ...failed, removed: ["OwnerRemediated"] };
          const after = patched(machine, conditionOperations(machine, changes, NOW));
          const kept = (list: readonly string[]) =>
            [...new Set([...list, "HealthCheckSucceeded"])]
              .filter((type) => type !== "OwnerRemediated")
              .toSorted(compareText);
          const [found = [], older = []] = typesOf(after);
          expect([found.toSorted(compareText), older.toSorted(compareText)]).toEqual([
            kept(types),
            kept(olderTypes),
          ]);
          const others = after.status?.conditions?.filter(({ type }) => type !== "HealthCheckSucceeded");
          expect(others?.every(({ lastTransitionTime }) => lastTransitionTime === LONG_AGO)).toBe(true);
        },
      ),
    ));
});
