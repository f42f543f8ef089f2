import { describe, expect, it } from "vitest";
import { justDrainedWaitMs } from "../../../../functions/machine/rules/just-drained.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

type Deletion = NonNullable<NonNullable<Machine["status"]>["deletion"]>;

function waitMs(deletion: Deletion, reason = "WaitingForInfrastructureDeletion"): number | undefined {
  const deleting = { type: "Deleting", status: "True", reason, message: "", lastTransitionTime: "" } as const;
  return justDrainedWaitMs(soloMachine({ status: { conditions: [deleting], deletion } }), NOW);
}

describe("the status of a Machine that is being deleted", () => {
  it.each([
    ["just drained", { nodeDrainStartTime: "2026-01-01T12:00:00Z" }, 5_000],
    ["drained within a second", { nodeDrainStartTime: "2026-01-01T11:59:59Z" }, 4_000],
    ["whose drain took long", { nodeDrainStartTime: "2026-01-01T11:59:55Z" }, undefined],
    [
      "whose volumes were detached at once",
      {
        nodeDrainStartTime: "2026-01-01T11:00:00Z",
        waitForNodeVolumeDetachStartTime: "2026-01-01T11:59:58Z",
      },
      3_000,
    ],
    ["drained by a clock that is ahead", { nodeDrainStartTime: "2026-01-01T12:00:30Z" }, 5_000],
    ["drained at a time that cannot be read", { nodeDrainStartTime: "yesterday" }, undefined],
    ["that was not drained", {}, undefined],
  ])("waits for the end of one %s", (_, deletion, ms) => {
    expect(waitMs(deletion)).toBe(ms);
  });

  it("does not wait while the drain lasts, or at a hook behind it", () => {
    const deletion = { nodeDrainStartTime: "2026-01-01T12:00:00Z" };
    expect(waitMs(deletion, "DrainingNode")).toBe(undefined);
    expect(waitMs(deletion, "WaitingForPreTerminateHook")).toBe(undefined);
  });
});
