import { describe, expect, it } from "vitest";
import { type DrainPart, leftMs } from "../../../../functions/machine/rules/drain-timers.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { MINUTE, SECOND } from "../../../../shared/function/backoff.ts";
import type { Overrides } from "../../../support/builders.ts";
import { deletedMachine } from "../../../support/draining.ts";
import { NOW } from "../../../support/world.ts";

const FOREVER = Number.POSITIVE_INFINITY;
/** 40 s before `NOW`. */
const START = "2026-01-01T11:59:20Z";
const DRAIN_STARTED = { status: { deletion: { nodeDrainStartTime: START } } };
const VOLUMES_STARTED = { status: { deletion: { waitForNodeVolumeDetachStartTime: START } } };

function drainTimeout(nodeDrainTimeoutSeconds: number): Overrides<Machine> {
  return { ...DRAIN_STARTED, spec: { deletion: { nodeDrainTimeoutSeconds } } };
}

describe("the time until a part of the drain is given up", () => {
  it.each<readonly [string, DrainPart, Overrides<Machine>, number]>([
    ["is without limit where no timeout is set", "drain", DRAIN_STARTED, FOREVER],
    ["is without limit where the timeout is 0", "drain", drainTimeout(0), FOREVER],
    ["runs from the start time", "drain", drainTimeout(60), 20 * SECOND],
    ["is over exactly at the timeout", "drain", drainTimeout(40), 0],
    ["is never negative", "drain", drainTimeout(1), 0],
    [
      "does not run before the part has a start",
      "drain",
      { spec: { deletion: { nodeDrainTimeoutSeconds: 1 } } },
      FOREVER,
    ],
    [
      "of the volumes is not that of the drain",
      "volumes",
      {
        ...VOLUMES_STARTED,
        spec: { deletion: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 100 } },
      },
      MINUTE,
    ],
    [
      "is over where the annotation excludes the part, whatever its value is",
      "drain",
      { metadata: { annotations: { "machine.cluster.x-k8s.io/exclude-node-draining": "false" } } },
      0,
    ],
    [
      "of the drain is not ended by the annotation for volumes",
      "drain",
      { metadata: { annotations: { "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach": "" } } },
      FOREVER,
    ],
    [
      "of the volumes is ended by their annotation",
      "volumes",
      { metadata: { annotations: { "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach": "" } } },
      0,
    ],
  ])("%s", (_, part, overrides, left) => {
    expect(leftMs(deletedMachine(overrides), part, NOW)).toBe(left);
  });
});
