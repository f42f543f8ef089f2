import { describe, expect, it } from "vitest";
import { nodeConditions } from "../../../../functions/machine/rules/node-conditions.ts";
import type { NodeCondition } from "../../../../shared/api/core.ts";
import { healthyNode } from "../../../support/machine-view.ts";

/** A healthy Node with these conditions in place of its own; `undefined` leaves one out. */
function said(changes: { readonly [type: string]: Partial<NodeCondition> | undefined }) {
  const conditions = (healthyNode().status?.conditions ?? []).flatMap((own) => {
    const changed = Object.hasOwn(changes, own.type) ? changes[own.type] : {};
    return changed === undefined ? [] : [{ ...own, ...changed }];
  });
  const [ready, healthy] = nodeConditions(healthyNode("n1", { status: { conditions } }));
  const words = (of: typeof ready) => `${of?.status} ${of?.reason} ${of?.message}`;
  return { ready: words(ready), healthy: words(healthy), changedAt: ready?.changedAt };
}

describe("the conditions of a Machine whose Node was found", () => {
  it("are True without a message, NodeReady since the Node is Ready", () => {
    expect(said({})).toEqual({
      ready: "True NodeReady ",
      healthy: "True NodeHealthy ",
      changedAt: "2026-01-01T11:00:00Z",
    });
  });

  it.each([
    [
      "a Node that is not Ready",
      { Ready: { status: "False", message: "no network" } },
      "False NodeNotReady * Node.Ready: no network",
      "False NodeNotHealthy * Node.Ready: no network",
    ],
    [
      "pressure without a message",
      { DiskPressure: { status: "True" } },
      "True NodeReady ",
      "False NodeNotHealthy * Node.DiskPressure: Condition is True",
    ],
    [
      "conditions that are missing",
      { Ready: undefined, PIDPressure: undefined },
      "Unknown NodeReadyUnknown * Node.Ready: Condition not yet reported",
      "Unknown NodeHealthyUnknown * Node.AllConditions: Condition not yet reported",
    ],
    [
      "two problems with two texts, of which a bad one wins over an unknown one",
      {
        Ready: { status: "Unknown", message: "silent" },
        MemoryPressure: { status: "True", message: "full" },
      },
      "Unknown NodeReadyUnknown * Node.Ready: silent",
      "False NodeNotHealthy * Node.Ready: silent\n* Node.MemoryPressure: full",
    ],
    [
      "an unknown status",
      { Ready: { status: "Maybe" } },
      "Unknown NodeReadyUnknown * Node.Ready: Condition is Maybe",
      "Unknown NodeHealthyUnknown * Node.Ready: Condition is Maybe",
    ],
  ])("show %s", (_, changes, ready, healthy) => {
    expect(said(changes)).toMatchObject({ ready, healthy });
  });

  it("make one line of one text: the kubelet is silent", () => {
    const silent = { status: "Unknown", message: "Kubelet stopped posting node status" };
    const all = { Ready: silent, MemoryPressure: silent, DiskPressure: silent, PIDPressure: silent };
    expect(said(all).healthy).toBe(
      "Unknown NodeHealthyUnknown * Node.AllConditions: Kubelet stopped posting node status",
    );
  });

  it("take no malformed time", () => {
    expect(said({ Ready: { lastTransitionTime: "yesterday" } }).changedAt).toBeUndefined();
  });
});
