import { describe, expect, it } from "vitest";
import { setRemediation } from "../../../../functions/machineset/rules/remediation.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { NOW } from "../../../support/world.ts";

const BATCH = "capstan.dev/remediation-reservation";
const REVISION = "machinedeployment.clusters.x-k8s.io/revision";

/** A Machine that a health check has handed over; `reason` is what its owner has said since. */
function sick(name: string, reason = "WaitingForRemediation", overrides: Overrides<Machine> = {}): Machine {
  const conditions = [
    machineCondition("HealthCheckSucceeded", "False", "NodeNotHealthy"),
    machineCondition("OwnerRemediated", "False", reason),
  ];
  return setMachine(name, { ...overrides, status: { conditions } });
}

function deployment(maxInFlight: number | string | undefined, replicas = 10): MachineDeployment {
  return machineDeployment({
    metadata: { annotations: { [REVISION]: "1" } },
    spec: { replicas, ...(maxInFlight === undefined ? {} : { remediation: { maxInFlight } }) },
  });
}

/** Reasons said of Machines, reservations of the set, and the names of Machines that go. */
function run(
  machines: readonly Machine[],
  of?: MachineDeployment,
  batch?: readonly string[],
  blockers: readonly string[] = [],
) {
  const annotations = { [REVISION]: "1", ...(batch === undefined ? {} : { [BATCH]: JSON.stringify(batch) }) };
  const set = machineSet({ metadata: { annotations } });
  const { patch, toDelete } = setRemediation({ set, machines, deployment: of, blockers, now: NOW });
  const values = patch.flatMap(({ target, operations }) =>
    operations.map((operation) => {
      const value: unknown = "value" in operation ? operation.value : operation.op;
      const reason: unknown =
        typeof value === "object" && value !== null ? Reflect.get(value, "reason") : value;
      return `${target.name} ${String(reason)}`;
    }),
  );
  return { said: values, toDelete: toDelete.map(({ metadata }) => metadata.name) };
}

describe("Machines that health checks have handed over", () => {
  it("are all marked at once without a limit, and deleted once they are marked", () => {
    expect(run([sick("a"), sick("b")])).toEqual({
      said: ["a MachineDeleting", "b MachineDeleting"],
      toDelete: [],
    });
    expect(run([sick("a", "MachineDeleting"), setMachine("b")])).toEqual({ said: [], toDelete: ["a"] });
  });

  it("are left alone once they are being deleted", () => {
    const going = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
    expect(run([sick("a", "WaitingForRemediation", going)])).toEqual({ said: [], toDelete: [] });
  });

  it("wait while a preflight check fails; one that is marked is finished", () => {
    const machines = [sick("a"), sick("b", "MachineDeleting")];
    expect(run(machines, undefined, undefined, ["upgrading"])).toEqual({
      said: ["a RemediationDeferred"],
      toDelete: ["b"],
    });
  });
});

describe("a limit of remediations in flight", () => {
  it("marks the batch in the next run, and reserves no others meanwhile", () => {
    expect(run([sick("a"), sick("b")], deployment(2), ["a"]).said).toEqual(["a MachineDeleting"]);
  });
});
