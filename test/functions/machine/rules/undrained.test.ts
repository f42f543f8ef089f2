import { describe, expect, it } from "vitest";
import type { MachineStage } from "../../../../functions/machine/rules/stage.ts";
import { undrainedWaitMs } from "../../../../functions/machine/rules/undrained.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const stageOf = (step: MachineStage["step"]): MachineStage => ({ step, reason: "Deleting", message: "" });

function waitMs(deletionTimestamp: string, step: MachineStage["step"] = "drain", drainSpeaks = false) {
  const machine = soloMachine({ metadata: { deletionTimestamp } });
  return undrainedWaitMs({ machine, stage: stageOf(step), drainSpeaks, now: NOW });
}

describe("the status of a Machine that has just been deleted", () => {
  it.each([
    ["this second", "2026-01-01T12:00:00Z", 5_000],
    ["two seconds ago", "2026-01-01T11:59:58Z", 3_000],
    ["by a clock that is ahead", "2026-01-01T12:00:30Z", 5_000],
    ["five seconds ago", "2026-01-01T11:59:55Z", undefined],
    ["at a time that cannot be read", "yesterday", undefined],
  ])("waits for the first words of the drain: deleted %s", (_, deletionTimestamp, ms) => {
    expect(waitMs(deletionTimestamp)).toBe(ms);
  });

  it("does not wait once the drain speaks, or where it has not the turn", () => {
    const now = "2026-01-01T12:00:00Z";
    expect(waitMs(now, "drain", true)).toBe(undefined);
    expect(waitMs(now, "pre-drain hooks")).toBe(undefined);
    expect(waitMs(now, "infrastructure")).toBe(undefined);
    const lives = { machine: soloMachine(), stage: undefined, drainSpeaks: false, now: NOW };
    expect(undrainedWaitMs(lives)).toBe(undefined);
  });
});
