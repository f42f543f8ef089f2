import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import { guardControlPlane } from "./rules/control-plane-guard.ts";
import { GUARD_TURNS, guardParts, LEGACY_GUARD_TURNS } from "./rules/control-plane-spec-parts.ts";

export const simLegacyGuard = defineFunction<SimControlPlaneLegacy>(
  {
    name: "sim-legacy-guard",
    summary: "Makes a SimControlPlaneLegacy safe to work on and prepares the API server of its Cluster.",
    source: "own",
    reconciles: SimControlPlaneLegacy,
    ...guardParts(SimControlPlaneLegacy),
    inTurnWith: [...GUARD_TURNS, ...LEGACY_GUARD_TURNS],
    owns: [],
  },
  guardControlPlane,
);
