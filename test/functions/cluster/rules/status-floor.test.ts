import { describe, expect, it } from "vitest";
import { statusFloorMs } from "../../../../functions/cluster/rules/status-floor.ts";
import { soloMachine } from "../../../support/machines.ts";

describe("the time between two statuses of a Cluster", () => {
  it.each([
    [0, 0, 1_000],
    [3, 47, 1_000],
    [3, 48, 2_000],
    [0, 300, 5_000],
    [0, 1_000, 5_000],
    [0, 1_001, 6_000],
  ])(
    "grows with its Machines: %i of the control plane and %i workers, %i ms",
    (controlPlane, workers, ms) => {
      const many = (length: number) => Array.from({ length }, () => soloMachine());
      expect(statusFloorMs({ machines: { controlPlane: many(controlPlane), workers: many(workers) } })).toBe(
        ms,
      );
    },
  );
});
