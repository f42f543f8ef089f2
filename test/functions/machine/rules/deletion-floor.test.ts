import { describe, expect, it } from "vitest";
import { deletionFloorMs } from "../../../../functions/machine/rules/deletion-floor.ts";
import { soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

describe("the time between two statuses of a deleted Machine", () => {
  it.each([
    ["2026-01-01T12:00:00Z", 10_000],
    ["2026-01-01T12:00:30Z", 10_000],
    ["2026-01-01T11:59:50Z", 10_000],
    ["2026-01-01T11:59:20Z", 20_000],
    ["2026-01-01T11:00:00Z", 30_000],
    ["yesterday", 10_000],
  ])("follows from how long the deletion has taken: since %s %i ms", (deletionTimestamp, ms) => {
    expect(deletionFloorMs(soloMachine({ metadata: { deletionTimestamp } }), NOW)).toBe(ms);
  });
});
