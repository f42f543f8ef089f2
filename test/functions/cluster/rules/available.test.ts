import { describe, expect, it } from "vitest";
import { type SummaryInput, summarize } from "../../../../functions/cluster/rules/available.ts";

const GOOD = ["RemoteConnectionProbe", "InfrastructureReady", "ControlPlaneAvailable", "WorkersAvailable"];

function reported(type: string, status: string, reason = "Reason", message = "") {
  return { type, status, reason, message };
}

/** A summary of good conditions, with some of them replaced or added. */
function summary(others: SummaryInput["conditions"], more: Partial<SummaryInput> = {}) {
  const conditions = [
    reported("Deleting", "False"),
    ...GOOD.map((type) => reported(type, "True")),
    ...others,
  ];
  return summarize({ deleting: false, topology: false, gates: [], conditions, ...more });
}

describe("summarize", () => {
  it("is Available when everything is good, without a word", () => {
    expect(summary([])).toEqual({ status: "True", reason: "Available", message: "" });
  });

  it("has one line per condition that is not good, issues before unknown", () => {
    expect(
      summary([
        reported("RemoteConnectionProbe", "Unknown", "Dark"),
        reported("InfrastructureReady", "False", "NotReady", "no quota"),
        reported("WorkersAvailable", "False", "NotAvailable", "* MachinePool p1: 0 of 3"),
      ]),
    ).toEqual({
      status: "False",
      reason: "NotAvailable",
      message:
        "* InfrastructureReady: no quota\n* WorkersAvailable:\n  * MachinePool p1: 0 of 3\n* RemoteConnectionProbe: Dark",
    });
  });

  it("is not available while it is deleted, in the words of Deleting", () => {
    const deleting = reported("Deleting", "True", "WaitingForWorkersDeletion", "* MachinePools: p1");
    expect(summary([deleting], { deleting: true })).toMatchObject({
      status: "False",
      message: "* Deleting:\n  * MachinePools: p1",
    });
  });

  it.each(["ObjectDeleted", "ObjectDoesNotExist"])(
    "takes %s of a provider object as good while deleting only",
    (reason) => {
      const gone = reported("InfrastructureReady", "False", reason);
      expect(summary([gone], { deleting: true })).toMatchObject({ status: "True" });
      expect(summary([gone])).toMatchObject({ status: "False" });
    },
  );

  it("judges gates by their polarity and asks for missing ones", () => {
    const gates = [
      { conditionType: "A" },
      { conditionType: "B", polarity: "Negative" },
      { conditionType: "C" },
    ];
    expect(summary([reported("A", "True"), reported("B", "True", "Bad")], { gates })).toEqual({
      status: "False",
      reason: "NotAvailable",
      message: "* B: Bad\n* C: Condition not yet reported",
    });
  });

  it("looks at TopologyReconciled where there is one, and misses it with a topology only", () => {
    expect(summary([], { topology: true })).toMatchObject({ status: "Unknown", reason: "AvailableUnknown" });
    const type = "TopologyReconciled";
    expect(summary([reported(type, "False", "ReconcileFailed")])).toMatchObject({ status: "False" });
    expect(summary([reported(type, "False", "ControlPlaneUpgradePending", "later")])).toMatchObject({
      status: "True",
      message: "* TopologyReconciled: later",
    });
  });
});
