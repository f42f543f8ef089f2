import { describe, expect, it } from "vitest";
import {
  availableInMs,
  IN_PLACE_UPDATING,
  machineConditions,
} from "../../../../functions/machine/rules/conditions.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { machineCondition } from "../../../support/builders.ts";
import { machineViewWith } from "../../../support/machine-view.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

type Changes = Parameters<typeof machineViewWith>[0];

/** `True Reason message` of one condition. */
function said(type: string, changes: Changes = {}): string | undefined {
  const found = machineConditions(machineViewWith(changes)).find((each) => each.type === type);
  return found && `${found.status} ${found.reason} ${found.message}`.trim();
}

describe("conditions of a Machine", () => {
  it("say Updating while the annotation is there, and Ready counts it", () => {
    const key = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
    const machine = soloMachine({ metadata: { annotations: { [key]: "" } } });
    expect(said("Updating", { machine })).toBe(`True InPlaceUpdating ${IN_PLACE_UPDATING}`);
    expect(said("Ready", { machine })).toBe(`False NotReady * Updating: ${IN_PLACE_UPDATING}`);
    expect(said("Available", { machine })).toBe("False NotReady");
  });

  const controlledBy = (kind: string, apiVersion = "cluster.x-k8s.io/v1beta2") => ({
    ownerReferences: [{ apiVersion, kind, name: "o", uid: "u", controller: true }],
  });

  it("leave UpToDate to control planes, and other writers' conditions alone", () => {
    const conditions = [
      machineCondition("UpToDate", "True", "UpToDate"),
      machineCondition("HealthCheckSucceeded", "False", "NodeNotHealthy"),
    ];
    for (const metadata of [
      controlledBy("FooControlPlane", "controlplane.foo.example.com/v1"),
      { labels: { "cluster.x-k8s.io/control-plane": "" } },
    ]) {
      const view = machineViewWith({ machine: soloMachine({ metadata, status: { conditions } }) });
      const types = machineConditions(view).map(({ type }) => type);
      expect(types).not.toContain("UpToDate");
      expect(types).not.toContain("HealthCheckSucceeded");
      // It counts for Ready all the same.
      expect(machineConditions(view).find(({ type }) => type === "Ready")?.status).toBe("False");
    }
  });

  it("say UpToDate of a Machine of a pool until it is deleted", () => {
    const metadata = controlledBy("MachinePool");
    expect(said("UpToDate", { machine: soloMachine({ metadata }) })).toBe("True UpToDate");
    const leaving = soloMachine({ metadata: { ...metadata, deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(said("UpToDate", { machine: leaving })).toBe("False NotUpToDate Machine is being deleted");
  });

  it("say UpToDate of a Machine of its own and of that of a set, until it is updated in place", () => {
    const key = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
    for (const metadata of [{}, controlledBy("MachineSet")]) {
      expect(said("UpToDate", { machine: soloMachine({ metadata }) })).toBe("True UpToDate");
      const updating = soloMachine({ metadata: { ...metadata, annotations: { [key]: "" } } });
      expect(said("UpToDate", { machine: updating })).toBe(`False Updating * ${IN_PLACE_UPDATING}`);
    }
  });
});

describe("the time until a Machine is available", () => {
  it.each([
    ["True", 90, 60 * SECOND],
    ["True", 10, 0],
    ["False", 90, undefined],
    ["Unknown", 0, undefined],
  ] as const)("while Ready is %s, with minReadySeconds %i: %s", (status, minReadySeconds, inMs) => {
    const conditions = [
      { ...machineCondition("Ready", status, "Any"), lastTransitionTime: "2026-01-01T11:59:30Z" },
    ];
    expect(availableInMs(soloMachine({ spec: { minReadySeconds } }), conditions, NOW)).toBe(inMs);
  });
});
