import { describe, expect, it } from "vitest";
import { setDeprecatedConditionsOf } from "../../../../functions/machineset/rules/deprecated-conditions.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { setViewWith } from "../../../support/set-view.ts";

const TWO = [setMachine("a"), setMachine("b")];

function said(replicas: number | undefined, machines: typeof TWO, readyReplicas: number): readonly string[] {
  const view = setViewWith({ set: machineSet({ spec: { replicas } }), machines });
  return setDeprecatedConditionsOf(view, readyReplicas)
    .map(({ type, status, reason = "" }) => `${type} ${status} ${reason}`.trim())
    .toSorted();
}

describe("MS-9: conditions of a set in the sense of v1beta1", () => {
  it.each<
    readonly [
      string,
      { readonly replicas: number | undefined; readonly machines: typeof TWO; readonly ready: number },
      readonly string[],
    ]
  >([
    [
      "all are there and ready",
      { replicas: 2, machines: TWO, ready: 2 },
      ["MachinesCreated True", "MachinesReady True", "Ready True", "Resized True"],
    ],
    [
      "some are missing",
      { replicas: 3, machines: TWO, ready: 2 },
      ["MachinesReady True", "Ready False ScalingUp", "Resized False ScalingUp"],
    ],
    [
      "some are too many",
      { replicas: 1, machines: TWO, ready: 2 },
      ["MachinesCreated True", "MachinesReady True", "Ready False ScalingDown", "Resized False ScalingDown"],
    ],
    [
      "one is not ready, Resized keeps what it said",
      { replicas: 2, machines: TWO, ready: 1 },
      [
        "MachinesCreated True",
        "MachinesReady False WaitingForReplicasReady",
        "Ready False WaitingForReplicasReady",
      ],
    ],
    [
      "no number is said",
      { replicas: undefined, machines: TWO, ready: 2 },
      ["MachinesReady True", "Ready True"],
    ],
    [
      "the set wants and has 0",
      { replicas: 0, machines: [], ready: 0 },
      ["MachinesCreated True", "MachinesReady True", "Ready True", "Resized True"],
    ],
  ])("when %s", (_, { replicas, machines, ready }, conditions) => {
    expect(said(replicas, machines, ready)).toEqual(conditions);
  });
});
