import { describe, expect, it } from "vitest";
import { withFaults } from "../../../../../../infra/playground/functions/sim/rules/faults.ts";
import { simMachinePool } from "../../../../../support/sim.ts";
import { NOW } from "../../../../../support/world.ts";

const TRUTH = { providerIDs: ["sim://a", "sim://b"], replicas: 2, ready: true };
const HOURS_OLD = 12;

describe("what a simulated pool reports", () => {
  it("is not ready any more from an age on, and says until when it is", () => {
    const at = (hours: number) => {
      const faults = { notReadyAfterSeconds: hours * 3600 };
      return withFaults(simMachinePool({ spec: { faults } }), TRUTH, NOW);
    };
    expect(at(HOURS_OLD + 1)).toMatchObject({ ready: true, changesInMs: 3_600_000 });
    expect(at(HOURS_OLD)).toMatchObject({ ready: false, changesInMs: undefined });
    const booting = { ...TRUTH, ready: false };
    expect(withFaults(simMachinePool(), booting, NOW).ready).toBe(false);
  });
});
