import { describe, expect, it } from "vitest";
import {
  type NodesLeft,
  nodeDeletionResult,
  undeletedNodes,
} from "../../../../functions/machinepool/rules/node-deletion.ts";
import { requeueAfter, waitFor } from "../../../../shared/function/result.ts";
import { machinePool, node } from "../../../support/builders.ts";

const DELETED_AT = "2026-01-01T11:00:00Z";
const GOING = { metadata: { deletionTimestamp: DELETED_AT } };

function deleted(nodeDeletionTimeoutSeconds?: number) {
  return machinePool({
    metadata: { deletionTimestamp: DELETED_AT },
    spec: { template: { spec: { deletion: { nodeDeletionTimeoutSeconds } } } },
  });
}
function later(seconds: number): Date {
  return new Date(Date.parse(DELETED_AT) + seconds * 1_000);
}

const DISCONNECTED: NodesLeft = { state: "disconnected" };
const UNREADABLE: NodesLeft = { state: "unreadable", message: "get Node /n1: no" };
const STAYING: NodesLeft = { state: "found", nodes: [node("n1"), node("n2", GOING)] };
const LEAVING: NodesLeft = { state: "found", nodes: [node("n2", GOING)] };

describe("the Nodes of a deleted pool", () => {
  it("are deleted once", () => {
    expect(undeletedNodes(STAYING).map(({ metadata }) => metadata.name)).toEqual(["n1"]);
    expect(undeletedNodes(LEAVING)).toEqual([]);
    expect(undeletedNodes(UNREADABLE)).toEqual([]);
  });

  it.each([
    ["a connection", DISCONNECTED, "Connection.status.state"],
    ["Nodes that are going", LEAVING, "Node.metadata.uid"],
  ])("wait for %s exactly until the timeout, and for ever without one", (_, left, awaited) => {
    expect(nodeDeletionResult(deleted(10), left, later(3))).toEqual(
      requeueAfter(7_000, "the node deletion timeout"),
    );
    for (const seconds of [0, undefined]) {
      expect(nodeDeletionResult(deleted(seconds), left, later(99_999))).toEqual(waitFor(awaited));
    }
  });

  it.each([
    ["are read again", UNREADABLE, "get Node /n1: no"],
    ["are deleted again", STAYING, "Nodes to be deleted"],
  ])("%s with backoff, at the timeout at the latest, and for ever without one", (_, left, why) => {
    const at = (seconds: number, timeout?: number) =>
      nodeDeletionResult(deleted(timeout), left, later(seconds));
    expect(at(0, 100)).toEqual(requeueAfter(1_000, why));
    expect(at(8, 100)).toEqual(requeueAfter(8_000, why));
    expect(at(96, 100)).toEqual(requeueAfter(4_000, why));
    expect(at(99_999, 0)).toEqual(requeueAfter(60_000, why));
    expect(at(99_999)).toEqual(requeueAfter(60_000, why));
  });

  it.each([DISCONNECTED, UNREADABLE, STAYING, LEAVING])(
    "are given up at the timeout, counted from the request: $state",
    (left) => {
      expect(nodeDeletionResult(deleted(10), left, later(9.999))).toBeDefined();
      expect(nodeDeletionResult(deleted(10), left, later(10))).toBeUndefined();
    },
  );
});
