import { describe, expect, it } from "vitest";
import { setDeprecatedConditionsOf } from "../../../../functions/machineset/rules/deprecated-conditions.ts";
import type { StatusView } from "../../../../functions/machineset/rules/view.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { setViewWith } from "../../../support/set-view.ts";

/** A Machine with its Ready of v1beta1. */
function machineSaying(name: string, ready: object) {
  const conditions = [
    { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:00:00Z", ...ready },
  ];
  return setMachine(name, { status: { deprecated: { v1beta1: { conditions } } } });
}

const TWO = [machineSaying("a", {}), machineSaying("b", {})];
const WAITS = { status: "False", severity: "Info", reason: "WaitingForDataSecret", message: "m" };

function said(
  replicas: number | undefined,
  about: Partial<StatusView>,
  readyReplicas: number,
): readonly string[] {
  const view = setViewWith({ set: machineSet({ spec: { replicas } }), ...about });
  return setDeprecatedConditionsOf(view, readyReplicas)
    .map(({ type, status, reason = "" }) => `${type} ${status} ${reason}`.trim())
    .toSorted();
}

describe("conditions of a set in the sense of v1beta1", () => {
  it.each<
    readonly [
      string,
      Partial<StatusView> & { readonly replicas: number | undefined; readonly ready: number },
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
      ["MachinesCreated True", "MachinesReady True", "Ready True"],
    ],
    [
      "some say that they are not ready, the first by name is named",
      { replicas: 3, machines: [...TWO, machineSaying("a0", WAITS), machineSaying("a1", WAITS)], ready: 2 },
      [
        "MachinesCreated True",
        "MachinesReady False WaitingForDataSecret @ Machine/a0",
        "Ready False ScalingDown",
        "Resized False ScalingDown",
      ],
    ],
    [
      "no Machine has said anything",
      { replicas: 1, machines: [setMachine("a")], ready: 0 },
      ["MachinesCreated True", "Ready True"],
    ],
    [
      "a preflight check is against more",
      { replicas: 1, machines: [], ready: 0, blockers: ["upgrading", "gone"], lasting: ["gone"] },
      [
        "MachinesCreated False PreflightCheckFailed",
        "MachinesReady True",
        "Ready False PreflightCheckFailed",
        "Resized False ScalingUp",
      ],
    ],
    ...[
      ["FooConfigTemplate", "Bootstrap"],
      ["FooMachineTemplate", "Infrastructure"],
    ].map(([kind, part]): [string, Partial<StatusView> & { replicas: number; ready: number }, string[]] => [
      `a ${kind} is missing`,
      { replicas: 1, machines: [], ready: 0, blockers: [`${kind} x`], lasting: [`${kind} x`] },
      [
        `MachinesCreated False ${part}TemplateCloningFailed`,
        "MachinesReady True",
        `Ready False ${part}TemplateCloningFailed`,
        "Resized False ScalingUp",
      ],
    ]),
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
  ])("when %s", (_, { replicas, ready, ...about }, conditions) => {
    expect(said(replicas, about, ready)).toEqual(conditions);
  });

  it("counts the ready Machines in the message", () => {
    const view = setViewWith({ machines: [...TWO, machineSaying("c", WAITS), setMachine("d")] });
    const ready = setDeprecatedConditionsOf(view, 0).find(({ type }) => type === "MachinesReady");
    expect(ready).toMatchObject({ severity: "Info", message: "2 of 4 completed" });
  });
});
