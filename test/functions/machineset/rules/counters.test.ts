import { describe, expect, it } from "vitest";
import { deprecatedCounters, setCounters } from "../../../../functions/machineset/rules/counters.ts";
import { machineCondition } from "../../../support/builders.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { setViewWith } from "../../../support/set-view.ts";

const UPDATING = {
  metadata: { annotations: { "in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "" } },
};

function machineWith(
  name: string,
  types: readonly string[],
  overrides: Parameters<typeof setMachine>[1] = {},
) {
  const conditions = types.map((type) => machineCondition(type, "True", type));
  return setMachine(name, { ...overrides, status: { ...overrides.status, conditions } });
}

describe("counters of a set", () => {
  it("count by the conditions of the Machines; one that is being deleted counts too", () => {
    const machines = [
      machineWith("a", ["Ready", "Available", "UpToDate"]),
      machineWith("b", ["Ready"], { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }),
      machineWith("c", []),
    ];
    expect(setCounters(setViewWith({ machines }))).toEqual({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      upToDateReplicas: 1,
    });
  });

  it("count a Machine that is updated in place as a replica only", () => {
    const machines = [machineWith("a", ["Ready", "Available", "UpToDate"], UPDATING)];
    expect(setCounters(setViewWith({ machines }))).toEqual({
      replicas: 1,
      readyReplicas: 0,
      availableReplicas: 0,
      upToDateReplicas: 0,
    });
  });

  it("are all 0 without Machines, and no version is named", () => {
    expect(setCounters(setViewWith())).toEqual({
      replicas: 0,
      readyReplicas: 0,
      availableReplicas: 0,
      upToDateReplicas: 0,
    });
  });
});

describe("counters of a set in the sense of v1beta1", () => {
  it("count Nodes, and those that have been Ready for minReadySeconds", () => {
    const since = (lastTransitionTime: string) => [
      { ...machineCondition("NodeReady", "True", "NodeReady"), lastTransitionTime },
    ];
    const machines = [
      setMachine("a", { status: { conditions: since("2026-01-01T11:59:30Z") } }),
      setMachine("b", { status: { conditions: since("2026-01-01T11:59:31Z") } }),
      setMachine("c", { status: { conditions: [machineCondition("NodeReady", "False", "NodeNotReady")] } }),
    ];
    const set = machineSet({ spec: { template: { spec: { minReadySeconds: 30 } } } });
    expect(deprecatedCounters(setViewWith({ set, machines }))).toEqual({
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
    });
  });

  it("call a Machine fully labelled that has every label of the template", () => {
    const set = machineSet({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
    const machines = [setMachine("a", { metadata: { labels: { tier: "a" } } }), setMachine("b")];
    expect(deprecatedCounters(setViewWith({ set, machines })).fullyLabeledReplicas).toBe(1);
  });
});
