import { describe, expect, it } from "vitest";
import {
  applied,
  type DrainRun,
  stuck,
  unconnected,
} from "../../../../functions/machine/rules/drain-report.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";
import { requeueAfter, waitFor } from "../../../../shared/function/result.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { deletedMachine } from "../../../support/draining.ts";
import { NOW } from "../../../support/world.ts";

/** 40 s before `NOW`. */
const STARTED = "2026-01-01T11:59:20Z";

function run(overrides: Overrides<Machine> = {}, changes: Partial<DrainRun> = {}): DrainRun {
  return { machine: deletedMachine(overrides), now: NOW, begun: [], events: [], ...changes };
}

function saying(reason: string, message: string): Overrides<Machine> {
  return {
    status: {
      conditions: [machineCondition("Deleting", "True", reason, message)],
      deletion: { nodeDrainStartTime: STARTED },
    },
  };
}

function timeout(nodeDrainTimeoutSeconds: number): Overrides<Machine> {
  return {
    spec: { deletion: { nodeDrainTimeoutSeconds } },
    status: { deletion: { nodeDrainStartTime: STARTED } },
  };
}

describe("what the drain writes of a status", () => {
  it("is left out where the Machine says it already", () => {
    const { machine } = run(saying("DrainingNode", "1 Pod left"));
    expect(applied(run(saying("DrainingNode", "1 Pod left")), "DrainingNode", "1 Pod left")).toEqual({});
    expect(machine.status?.conditions).toHaveLength(1);
    expect(
      applied(run(saying("DrainingNode", "1 Pod left")), "DrainingNode", "2 Pods left").apply,
    ).toBeDefined();
  });
});

describe("when the drain looks again", () => {
  it("waits for the connection, and no longer than the timeout", () => {
    const why = "Secret default/c1-kubeconfig does not exist";
    const decision = unconnected(run(), "drain", why);
    expect(decision.result).toEqual(waitFor("Connection.status.state"));
    expect(decision.apply).toMatchObject({
      status: {
        conditions: [
          { message: `Waiting for the connection to the workload cluster to drain the Node: ${why}` },
        ],
      },
    });
    expect(unconnected(run(timeout(100)), "drain", why).result).toEqual(
      requeueAfter(MINUTE, "the connection to the workload cluster, or the timeout"),
    );
  });
});

describe("what keeps a part from being judged", () => {
  it("is one Event until that is over, with the name of the Node", () => {
    const first = stuck(run(), "drain", "the rule is wrong");
    expect(first.events).toEqual([
      {
        type: "Warning",
        reason: "FailedDrainNode",
        message: `error draining Machine's node "n1": the rule is wrong`,
      },
    ]);
    const reported = run(saying("DrainingNode", "Error draining Node, another reason"));
    expect(stuck(reported, "drain", "the rule is wrong").events).toEqual([]);
  });
});
