import { describe, expect, it } from "vitest";
import { deleteNode, type NodeLeft } from "../../../../functions/machine/rules/node-deletion.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { done, requeueAfter, waitFor } from "../../../../shared/function/result.ts";
import { node, type Overrides } from "../../../support/builders.ts";
import { deletedMachine } from "../../../support/draining.ts";
import { NOW } from "../../../support/world.ts";

const RELEASED = { patch: [], result: done };
/** Deleted 60 s before `NOW`. */
function decided(left: NodeLeft, nodeDeletionTimeoutSeconds?: number) {
  const overrides: Overrides<Machine> = { spec: { deletion: { nodeDeletionTimeoutSeconds } } };
  return deleteNode(deletedMachine(overrides), left, { released: RELEASED, now: NOW });
}

const OWN: NodeLeft = { state: "own", node: node("n1") };
const UNKNOWN: NodeLeft = { state: "unknown", message: "Node n1 has no provider ID yet" };
const DISCONNECTED: NodeLeft = { state: "disconnected", message: "no route to host" };
const FAILED = (message: string) => [
  { type: "Warning", reason: "FailedDeleteNode", message: `error deleting Machine's Node: ${message}` },
];

describe("the Node of a Machine whose instance is gone", () => {
  it("that is gone, or going, releases the Machine", () => {
    expect(decided({ state: "gone" })).toEqual(RELEASED);
    const going = node("n1", { metadata: { deletionTimestamp: "2026-01-01T11:59:59Z" } });
    expect(decided({ state: "own", node: going })).toEqual(RELEASED);
  });

  it("of another instance is left, with an Event", () => {
    const decision = decided({ state: "kept", message: "Node n1 is left" });
    expect(decision).toMatchObject({ ...RELEASED, events: [{ reason: "NodeHandlingSkipped" }] });
    expect(decision.delete).toBeUndefined();
  });

  it.each([
    ["without timeout, again until it succeeds", undefined, { againAfterMs: 2 * SECOND }],
    ["with timeout 0, again until it succeeds", 0, { againAfterMs: 2 * SECOND }],
    ["before the timeout, again", 61, { againAfterMs: 2 * SECOND }],
    ["after the timeout, once", 60, {}],
  ])("is deleted in the run that releases the Machine: %s", (_, timeoutSeconds, again) => {
    const decision = decided(OWN, timeoutSeconds);
    expect(decision).toMatchObject({
      ...RELEASED,
      delete: [
        {
          target: { name: "n1", uid: "uid-n1", cluster: "default/c1" },
          ifFails: { event: "FailedDeleteNode" },
        },
      ],
    });
    expect(decision.delete?.[0]?.ifFails).toEqual({ event: "FailedDeleteNode", ...again });
    expect(decision.delete?.[0]?.target.resourceVersion).toBeDefined();
  });

  it.each([
    ["is asked for again every 2 s", UNKNOWN, 300, requeueAfter(2 * SECOND, UNKNOWN.message)],
    ["is asked for at the timeout at the latest", UNKNOWN, 61, requeueAfter(SECOND, UNKNOWN.message)],
    ["is asked for again for ever without timeout", UNKNOWN, 0, requeueAfter(2 * SECOND, UNKNOWN.message)],
    ["waits for the connection without timeout", DISCONNECTED, 0, waitFor("Connection.status.state")],
    [
      "waits for the connection until the timeout",
      DISCONNECTED,
      90,
      requeueAfter(30 * SECOND, "the node deletion timeout"),
    ],
  ])("that cannot be judged %s", (_, left, timeoutSeconds, result) => {
    const decision = decided(left, timeoutSeconds);
    expect(decision.result).toEqual(result);
    expect([decision.patch, decision.delete]).toEqual([undefined, undefined]);
  });

  it.each([UNKNOWN, DISCONNECTED])(
    "that cannot be judged lets the Machine go at the timeout: $state",
    (left) => {
      expect(decided(left, 60)).toEqual({ ...RELEASED, events: FAILED(left.message) });
    },
  );
});
