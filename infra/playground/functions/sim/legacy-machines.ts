import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import { controlPlaneMachines } from "./rules/control-plane-machines.ts";
import { LEGACY_MACHINES_TURNS, MACHINES_TURNS, machinesParts } from "./rules/control-plane-spec-parts.ts";

export const simLegacyMachines = defineFunction<SimControlPlaneLegacy>(
  {
    name: "sim-legacy-machines",
    summary:
      "Keeps the Machines of a SimControlPlaneLegacy: one by one, spread over failure domains, up to date.",
    source: "own",
    reconciles: SimControlPlaneLegacy,
    ...machinesParts(SimControlPlaneLegacy),
    inTurnWith: [...MACHINES_TURNS, ...LEGACY_MACHINES_TURNS],
    owns: [],
  },
  controlPlaneMachines,
);
