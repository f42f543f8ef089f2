import { describe, expect, it } from "vitest";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  upToDateExpiresInMs,
  waitsForRemediation,
  withUpToDateReported,
} from "../../../../shared/rules/machines/machine-conditions.ts";
import { machine, machineCondition } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const withConditions = (name: string, ...conditions: readonly ReturnType<typeof machineCondition>[]) =>
  machine(name, { status: { conditions } });
const READY = machineCondition("Ready", "True", "Ready");
const UP_TO_DATE = machineCondition("UpToDate", "True", "UpToDate");
const UNHEALTHY = machineCondition("HealthCheckSucceeded", "False", "NodeNotReady");
const HANDED_OVER = machineCondition("OwnerRemediated", "False", "WaitingForRemediation", "Waiting");

function reasons(...machines: readonly ReturnType<typeof machine>[]) {
  return [machinesReady("MachinesReady", machines), machinesUpToDate("MachinesUpToDate", machines)].map(
    ({ type, status, reason }) => `${type} ${status} ${reason}`,
  );
}

/** A Machine that was made some seconds before `NOW` and reports no condition. */
function aged(name: string, ageSeconds: number) {
  const creationTimestamp = new Date(NOW.getTime() - ageSeconds * 1_000).toISOString();
  return machine(name, { metadata: { creationTimestamp }, status: { conditions: [] } });
}

describe("what the Machines of an owner say together", () => {
  it("is True and NoReplicas without any", () => {
    expect(reasons()).toEqual(["MachinesReady True NoReplicas", "MachinesUpToDate True NoReplicas"]);
    expect(remediating([])).toMatchObject({ status: "False", reason: "NotRemediating", message: "" });
  });

  it("is True only when all say so; False weighs more than not reported", () => {
    const good = withConditions("m1", READY, UP_TO_DATE);
    const silent = withConditions("m2");
    const bad = withConditions("m3", machineCondition("Ready", "False", "NotReady"), UP_TO_DATE);
    expect(reasons(good)[0]).toBe("MachinesReady True Ready");
    expect(reasons(good, silent)).toEqual([
      "MachinesReady Unknown ReadyUnknown",
      "MachinesUpToDate Unknown UpToDateUnknown",
    ]);
    expect(reasons(good, silent, bad)[0]).toBe("MachinesReady False NotReady");
  });

  it("names control plane Machines first", () => {
    const bad = (name: string, message: string) =>
      withConditions(name, machineCondition("Ready", "False", "NotReady", message));
    const labels = { "cluster.x-k8s.io/control-plane": "" };
    const controlPlane = { ...bad("z", "first"), metadata: { name: "z", labels } };
    expect(machinesReady("MachinesReady", [bad("a", "second"), controlPlane]).message).toBe(
      "* Machine z: first\n* Machine a: second",
    );
  });

  it("is Remediating only for a Machine that was handed over, and names others that are unhealthy", () => {
    const waiting = withConditions("m1", UNHEALTHY, HANDED_OVER);
    expect(waitsForRemediation(waiting)).toBe(true);
    expect(remediating([waiting])).toMatchObject({
      status: "True",
      message: "* Machine m1: Waiting",
    });
    const sick = ["m4", "m3", "m2", "m1"].map((name) => withConditions(name, UNHEALTHY));
    expect(remediating(sick.slice(0, 1))).toMatchObject({
      status: "False",
      message: "Machine m4 is not healthy (not to be remediated)",
    });
    expect(remediating(sick).message).toBe(
      "Machines m1, m2, m3, ... (1 more) are not healthy (not to be remediated)",
    );
  });

  it("leaves out Machines younger than 10 s that do not report UpToDate yet", () => {
    const reporting = withConditions("m1", UP_TO_DATE);
    const machines = [reporting, aged("m2", 4), aged("m3", 10), aged("m4", 8)];
    expect(withUpToDateReported(machines, NOW).map(({ metadata }) => metadata.name)).toEqual(["m1", "m3"]);
    expect(upToDateExpiresInMs(machines, NOW)).toBe(2_000);
    expect(upToDateExpiresInMs([reporting, aged("m3", 10)], NOW)).toBeUndefined();
    const unknown = machine("m5", {
      metadata: { creationTimestamp: undefined },
      status: { conditions: [] },
    });
    expect(withUpToDateReported([unknown], NOW)).toHaveLength(1);
  });
});
