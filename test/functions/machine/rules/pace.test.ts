import { describe, expect, it } from "vitest";
import { AFTER_VIEW, BEFORE_VIEW } from "../../../../functions/machine/rules/pace.ts";
import type { MachineStage } from "../../../../functions/machine/rules/stage.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { heldBack } from "../../../../shared/rules/status/pace.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const JUST_DRAINED = BEFORE_VIEW.filter(({ row }) => row === "justDrained");
const NEW_PROVIDERS = BEFORE_VIEW.filter(({ row }) => row === "newProviders");

function afterMs(held: ReturnType<typeof heldBack>): number | undefined {
  return held?.result.type === "requeue" ? held.result.afterMs : undefined;
}

type Deletion = NonNullable<NonNullable<Machine["status"]>["deletion"]>;

function drained(deletion: Deletion, reason = "WaitingForInfrastructureDeletion") {
  const deleting = { type: "Deleting", status: "True", reason, message: "", lastTransitionTime: "" } as const;
  const machine = soloMachine({ status: { conditions: [deleting], deletion } });
  const providers = { bootstrap: undefined, infrastructure: found(ownInfraMachine()) };
  return heldBack(JUST_DRAINED, { machine, cluster: cluster(), providers }, NOW);
}

describe("MA-10: the status of a Machine that is being deleted", () => {
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
  ])("waits for the end of one %s, whatever else wakes it", (_, deletion, ms) => {
    expect(afterMs(drained(deletion))).toBe(ms);
    expect(drained(deletion)?.notBeforeMs).toBe(ms);
  });

  it("does not wait while the drain lasts, or at a hook behind it", () => {
    const deletion = { nodeDrainStartTime: "2026-01-01T12:00:00Z" };
    expect(drained(deletion, "DrainingNode")).toBe(undefined);
    expect(drained(deletion, "WaitingForPreTerminateHook")).toBe(undefined);
  });
});

const UNREADY = { status: { initialization: undefined } };
const NEW = soloMachine({ spec: { providerID: undefined }, status: undefined });

function first(machine: Machine, infrastructure: Referenced, bootstrap = machineConfig()) {
  const providers = { bootstrap: found(bootstrap), infrastructure };
  return afterMs(heldBack(NEW_PROVIDERS, { machine, cluster: cluster(), providers }, NOW));
}

function madeAt(creationTimestamp: string | undefined, machine = NEW): number | undefined {
  const infrastructure = { metadata: { creationTimestamp }, spec: { providerID: undefined }, ...UNREADY };
  return first(machine, found(ownInfraMachine(infrastructure)));
}

describe("MA-10: the first status", () => {
  it.each([
    ["just made", "2026-01-01T12:00:00Z", 2_000],
    ["a second old", "2026-01-01T11:59:59Z", 1_000],
    ["two seconds old", "2026-01-01T11:59:58Z", undefined],
    ["made by a clock that is ahead", "2026-01-01T12:00:30Z", 2_000],
    ["of unknown age", undefined, undefined],
    ["of an age that cannot be read", "yesterday", undefined],
  ])("waits for an object that is not ready and %s", (_, at, ms) => {
    expect(madeAt(at)).toBe(ms);
  });

  it("does not wait once there is one, or when nothing is missing", () => {
    const at = "2026-01-01T12:00:00Z";
    const reported = soloMachine({ spec: { providerID: undefined }, status: { phase: "Pending" } });
    expect(madeAt(at, reported)).toBe(undefined);
    expect(madeAt(at, soloMachine({ spec: { providerID: "foo://1" }, status: undefined }))).toBe(undefined);
  });

  it("does not wait for an object that is missing", () => {
    const old = machineConfig({ metadata: { creationTimestamp: "2026-01-01T11:00:00Z" } });
    expect(first(NEW, missing(ownInfraMachine()), old)).toBe(undefined);
  });
});

const stageOf = (step: MachineStage["step"]): MachineStage => ({ step, reason: "Deleting", message: "" });

function deleted(deletionTimestamp: string, step: MachineStage["step"] = "drain", drainSpeaks = false) {
  const machine = soloMachine({ metadata: { deletionTimestamp } });
  return afterMs(heldBack(AFTER_VIEW, { machine, stage: stageOf(step), drainSpeaks }, NOW));
}

describe("MA-10: the status of a Machine that has just been deleted", () => {
  it.each([
    ["this second", "2026-01-01T12:00:00Z", 5_000],
    ["two seconds ago", "2026-01-01T11:59:58Z", 3_000],
    ["by a clock that is ahead", "2026-01-01T12:00:30Z", 5_000],
    ["five seconds ago", "2026-01-01T11:59:55Z", undefined],
    ["at a time that cannot be read", "yesterday", undefined],
  ])("waits for the first words of the drain: deleted %s", (_, deletionTimestamp, ms) => {
    expect(deleted(deletionTimestamp)).toBe(ms);
  });

  it("does not wait once the drain speaks, or where it has not the turn", () => {
    const now = "2026-01-01T12:00:00Z";
    expect(deleted(now, "drain", true)).toBe(undefined);
    expect(deleted(now, "pre-drain hooks")).toBe(undefined);
    expect(deleted(now, "infrastructure")).toBe(undefined);
    const lives = { machine: soloMachine(), stage: undefined, drainSpeaks: false };
    expect(heldBack(AFTER_VIEW, lives, NOW)).toBe(undefined);
  });
});
