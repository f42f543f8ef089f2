import { describe, expect, it } from "vitest";
import { deleteNode, type NodeLeft } from "../../../../functions/machine/rules/node-deletion.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { done } from "../../../../shared/function/result.ts";
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

  it.each([UNKNOWN, DISCONNECTED])(
    "that cannot be judged lets the Machine go at the timeout: $state",
    (left) => {
      expect(decided(left, 60)).toEqual({ ...RELEASED, events: FAILED(left.message) });
    },
  );
});
