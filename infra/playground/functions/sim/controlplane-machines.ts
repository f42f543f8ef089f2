import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlane } from "../../api/sim-controlplane.ts";
import { controlPlaneMachines } from "./rules/control-plane-machines.ts";
import { MACHINES_TURNS, machinesParts } from "./rules/control-plane-spec-parts.ts";

export const simControlplaneMachines = defineFunction<SimControlPlane>(
  {
    name: "sim-controlplane-machines",
    summary: "Keeps the Machines of a SimControlPlane: one by one, spread over failure domains, up to date.",
    source: "own",
    reconciles: SimControlPlane,
    ...machinesParts(SimControlPlane),
    inTurnWith: MACHINES_TURNS,
    owns: [],
  },
  controlPlaneMachines,
);
