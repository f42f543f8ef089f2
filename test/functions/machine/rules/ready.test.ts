import { describe, expect, it } from "vitest";
import { lateInMs, readyCondition } from "../../../../functions/machine/rules/ready.ts";
import { machineCondition } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const GOOD = [
  machineCondition("Deleting", "False", "NotDeleting"),
  machineCondition("Updating", "False", "NotUpdating"),
  machineCondition("BootstrapConfigReady", "True", "Ready"),
  machineCondition("InfrastructureReady", "True", "Ready"),
  machineCondition("NodeHealthy", "True", "NodeHealthy"),
];

function said(machine: ReturnType<typeof soloMachine>, ...changes: typeof GOOD) {
  const conditions = [...new Map([...GOOD, ...changes].map((each) => [each.type, each])).values()];
  const { status, reason, message } = readyCondition(machine, conditions, NOW);
  return `${status} ${reason} ${message}`;
}

function ago(minutes: number): string {
  return new Date(NOW.getTime() - minutes * 60_000).toISOString();
}

describe("Ready of a Machine", () => {
  it.each([
    ["all is good", [], "True Ready "],
    [
      "the health check has failed",
      [machineCondition("HealthCheckSucceeded", "False", "NodeStartup", "too late")],
      "False NotReady * HealthCheckSucceeded: too late",
    ],
    [
      "something is updated",
      [machineCondition("Updating", "True", "InPlaceUpdating", "In-place update in progress")],
      "False NotReady * Updating: In-place update in progress",
    ],
    [
      "one is unknown and one bad",
      [
        machineCondition("NodeHealthy", "Unknown", "InspectionFailed", "wait"),
        machineCondition("InfrastructureReady", "False", "NotReady", "no quota"),
      ],
      "False NotReady * InfrastructureReady: no quota\n* NodeHealthy: wait",
    ],
    [
      "one is unknown",
      [machineCondition("NodeHealthy", "Unknown", "ConnectionDown")],
      "Unknown ReadyUnknown * NodeHealthy: ConnectionDown",
    ],
  ])("when %s", (_, changes, words) => {
    expect(said(soloMachine(), ...changes)).toBe(words);
  });

  it("counts readiness gates by their polarity, and one that is not reported as unknown", () => {
    const gated = soloMachine({
      spec: { readinessGates: [{ conditionType: "Gpu" }, { conditionType: "Broken", polarity: "Negative" }] },
    });
    expect(said(gated)).toBe(
      "Unknown ReadyUnknown * Gpu: Condition not yet reported\n* Broken: Condition not yet reported",
    );
    const reported = [
      machineCondition("Gpu", "True", "There"),
      machineCondition("Broken", "True", "Broken", "it burns"),
    ];
    expect(said(gated, ...reported)).toBe("False NotReady * Broken: it burns");
  });

  it("says once what several components of a control plane say alike", () => {
    const types = [
      "APIServerPodHealthy",
      "ControllerManagerPodHealthy",
      "SchedulerPodHealthy",
      "EtcdPodHealthy",
    ];
    const machine = soloMachine({
      spec: { readinessGates: types.map((conditionType) => ({ conditionType })) },
    });
    const silent = types.map((type) => machineCondition(type, "Unknown", "Away", "Node is away"));
    expect(said(machine, ...silent)).toBe("Unknown ReadyUnknown * Control plane components: Node is away");
    const [first, ...rest] = silent;
    const other = machineCondition("APIServerPodHealthy", "Unknown", "Away", "starting");
    expect(first?.type).toBe(other.type);
    expect(said(machine, other, ...rest).split("\n")).toHaveLength(4);
    const one = types.map((type, at) =>
      machineCondition(type, at === 0 ? "Unknown" : "True", "Away", at === 0 ? "Node is away" : ""),
    );
    expect(said(machine, ...one)).toBe("Unknown ReadyUnknown * APIServerPodHealthy: Node is away");
  });

  it.each([
    ["at first", 1, 0, "Machine deletion in progress, stage: DrainingNode"],
    ["after 15 minutes", 16, 4, "Machine deletion in progress since more than 15m, stage: DrainingNode"],
    [
      "when draining is late, too",
      16,
      6,
      "Machine deletion in progress since more than 15m, stage: DrainingNode, delay likely due to PodDisruptionBudgets, Pods not terminating",
    ],
  ])("shows a deletion by its stage: %s", (_, minutes, draining, line) => {
    const machine = soloMachine({
      metadata: { deletionTimestamp: ago(minutes) },
      status: { deletion: { nodeDrainStartTime: ago(draining) } },
    });
    const message =
      "Drain not completed yet:\n* Pods a/b: deletionTimestamp set, but still not removed from the Node\n* Pod a/c: cannot evict pod as it would violate the pod's disruption budget. x";
    const gone = [
      machineCondition("Deleting", "True", "DrainingNode", message),
      machineCondition("InfrastructureReady", "False", "ObjectDeleted", "FooMachine has been deleted"),
      machineCondition("NodeHealthy", "False", "NodeDeleted", "Node n1 has been deleted"),
    ];
    expect(said(machine, ...gone)).toBe(`False NotReady * Deleting: ${line}`);
  });

  it("counts what is gone as bad while the Machine lives", () => {
    const lost = machineCondition("InfrastructureReady", "False", "ObjectDeleted", "FooMachine is gone");
    expect(said(soloMachine(), lost)).toBe("False NotReady * InfrastructureReady: FooMachine is gone");
  });

  it("changes when a limit has passed, and never after the last", () => {
    const of = (minutes: number, draining?: number) =>
      lateInMs(
        soloMachine({
          metadata: { deletionTimestamp: ago(minutes) },
          status: { deletion: { nodeDrainStartTime: draining === undefined ? undefined : ago(draining) } },
        }),
        NOW,
      );
    expect(of(14)).toBe(61_000);
    expect(of(16, 4)).toBe(61_000);
    expect(of(16)).toBeUndefined();
  });
});
