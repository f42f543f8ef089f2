import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { poolRemediation, remediationLimit } from "../../../../functions/machinepool/rules/remediation.ts";
import { machine, machineCondition, machinePool } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

describe("the limit of remediations of a pool", () => {
  it.each([
    [undefined, 3, 1],
    ["0", 3, 0],
    ["2", 3, 2],
    ["20%", 3, 1],
    ["100%", 3, 3],
    ["50%", undefined, 1],
    ["-1", 3, undefined],
    ["1.5", 3, undefined],
    ["", 3, undefined],
  ])("of %j with %j replicas is %j", (text, replicas, expected) => {
    const annotations = text === undefined ? undefined : { "capstan.dev/remediation-max-in-flight": text };
    expect(remediationLimit(machinePool({ metadata: { annotations }, spec: { replicas } }))).toBe(expected);
  });
});

describe("remediation", () => {
  it("never has more Machines in flight than the limit, whatever is in flight already", async () => {
    const state = fc.record({ marked: fc.boolean(), going: fc.boolean() });
    await fc.assert(
      fc.property(fc.array(state, { maxLength: 12 }), fc.nat(6), (states, limit) => {
        const machines = states.map(({ marked, going }, index) =>
          machine(`m${index}`, {
            metadata: { deletionTimestamp: going ? "2026-01-01T11:59:00Z" : undefined },
            status: {
              conditions: [
                machineCondition("HealthCheckSucceeded", "False", "NodeNotReady"),
                machineCondition(
                  "OwnerRemediated",
                  "False",
                  marked ? "MachineDeleting" : "WaitingForRemediation",
                ),
              ],
            },
          }),
        );
        const { marks, toDelete } = poolRemediation(machines, limit, NOW);
        const chosen = marks.filter(({ operations }) =>
          JSON.stringify(operations).includes("MachineDeleting"),
        );
        const inFlight = states.filter(({ marked }) => marked).length;
        expect(chosen.length).toBeLessThanOrEqual(Math.max(0, limit - inFlight));
        expect(toDelete).toHaveLength(states.filter(({ marked, going }) => marked && !going).length);
      }),
    );
  });
});
