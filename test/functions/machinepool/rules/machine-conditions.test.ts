import { describe, expect, it } from "vitest";
import {
  machineConditions,
  waitsForRemediation,
} from "../../../../functions/machinepool/rules/machine-conditions.ts";
import { machine, machineCondition } from "../../../support/builders.ts";

const withConditions = (name: string, ...conditions: readonly ReturnType<typeof machineCondition>[]) =>
  machine(name, { status: { conditions } });
const READY = machineCondition("Ready", "True", "Ready");
const UP_TO_DATE = machineCondition("UpToDate", "True", "UpToDate");
const UNHEALTHY = machineCondition("HealthCheckSucceeded", "False", "NodeNotReady");
const HANDED_OVER = machineCondition("OwnerRemediated", "False", "WaitingForRemediation", "Waiting");

function reasons(...machines: readonly ReturnType<typeof machine>[]) {
  return machineConditions(machines).map(({ type, status, reason }) => `${type} ${status} ${reason}`);
}

describe("what the Machines of a pool say together", () => {
  it("MP-7.1: is True and NoReplicas for a pool without any", () => {
    expect(reasons()).toEqual([
      "MachinesReady True NoReplicas",
      "MachinesUpToDate True NoReplicas",
      "Remediating False NotRemediating",
    ]);
  });

  it("MP-7.1: is True only when all say so; False weighs more than not reported", () => {
    const good = withConditions("m1", READY, UP_TO_DATE);
    const silent = withConditions("m2");
    const bad = withConditions("m3", machineCondition("Ready", "False", "NotReady"), UP_TO_DATE);
    expect(reasons(good)[0]).toBe("MachinesReady True Ready");
    expect(reasons(good, silent).slice(0, 2)).toEqual([
      "MachinesReady Unknown ReadyUnknown",
      "MachinesUpToDate Unknown UpToDateUnknown",
    ]);
    expect(reasons(good, silent, bad)[0]).toBe("MachinesReady False NotReady");
  });

  it("MP-7.1: is Remediating only for a Machine that was handed over, and names others that are unhealthy", () => {
    const waiting = withConditions("m1", UNHEALTHY, HANDED_OVER);
    expect(waitsForRemediation(waiting)).toBe(true);
    expect(machineConditions([waiting])[2]).toMatchObject({
      status: "True",
      message: "* Machine m1: Waiting",
    });
    const sick = ["m4", "m3", "m2", "m1"].map((name) => withConditions(name, UNHEALTHY));
    expect(machineConditions(sick.slice(0, 1))[2]).toMatchObject({
      status: "False",
      message: "Machine m4 is not healthy (not to be remediated)",
    });
    expect(machineConditions(sick)[2]?.message).toBe(
      "Machines m1, m2, m3, ... (1 more) are not healthy (not to be remediated)",
    );
  });
});
