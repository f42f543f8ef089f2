import { describe, expect, it } from "vitest";
import { faultsOf } from "../../../../../../infra/playground/functions/sim/rules/control-plane-view.ts";
import { SECOND } from "../../../../../../shared/function/backoff.ts";
import { machinesControlPlane } from "../../../../../support/control-planes.ts";
import { NOW } from "../../../../../support/world.ts";

/** Of a control plane that is ten seconds old. */
function faults(annotations: { readonly [key: string]: string } | undefined) {
  const metadata = { annotations, creationTimestamp: "2026-01-01T11:59:50Z" };
  return faultsOf(machinesControlPlane({ metadata }), NOW);
}

describe("faults of a simulated control plane", () => {
  it.each([
    ["15", 5 * SECOND],
    ["10", 0],
    ["1", 0],
    ["0.5", 0],
    ["soon", 0],
    ["", 0],
  ])("delay the initialization by %s s from the creation", (seconds, inMs) => {
    const { initializedInMs } = faults({ "fault.sim.capstan.dev/initialized-after-seconds": seconds });
    expect(initializedInMs).toBe(inMs);
  });
});
