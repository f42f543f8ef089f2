import { describe, expect, it } from "vitest";
import { deprecatedCounters } from "../../../../functions/machineset/rules/counters.ts";
import { machineCondition } from "../../../support/builders.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { setViewWith } from "../../../support/set-view.ts";

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
