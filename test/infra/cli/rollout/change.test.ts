import { describe, expect, it } from "vitest";
import { pause, restart, resume } from "../../../../infra/cli/rollout/change.ts";
import { machineDeployment } from "../../../support/foo-deployments.ts";

const NOW = new Date("2026-01-01T12:00:00.700Z");
const PAUSED = machineDeployment({ spec: { paused: true } });

describe("the switches of a rollout", () => {
  it("restart by the present time, in seconds", () => {
    const after = { op: "add", path: "/spec/rollout/after", value: "2026-01-01T12:00:00Z" };
    expect(restart(machineDeployment(), NOW)).toEqual([after]);
    expect(restart(machineDeployment({ spec: { rollout: undefined } }), NOW)).toEqual([
      { op: "add", path: "/spec/rollout", value: {} },
      after,
    ]);
  });

  it("do not restart what is paused, or has a restart to come", () => {
    expect(() => restart(PAUSED, NOW)).toThrow("can't restart paused MachineDeployment");
    const later = machineDeployment({ spec: { rollout: { after: "2026-01-01T12:00:01Z" } } });
    expect(() => restart(later, NOW)).toThrow("remove 'spec.rollout.after' first");
  });

  it("pause and resume, and refuse what is so already", () => {
    expect(pause(machineDeployment())).toEqual([{ op: "add", path: "/spec/paused", value: true }]);
    expect(resume(PAUSED)).toEqual([{ op: "add", path: "/spec/paused", value: false }]);
    expect(() => pause(PAUSED)).toThrow("is already paused: machinedeployment/d1");
    expect(() => resume(machineDeployment())).toThrow("is not currently paused: machinedeployment/d1");
  });
});
