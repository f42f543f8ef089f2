import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlane } from "../../api/sim-controlplane.ts";
import { guardControlPlane } from "./rules/control-plane-guard.ts";
import { GUARD_TURNS, guardParts } from "./rules/control-plane-spec-parts.ts";

export const simControlplaneGuard = defineFunction<SimControlPlane>(
  {
    name: "sim-controlplane-guard",
    summary: "Makes a SimControlPlane safe to work on and prepares the API server of its Cluster.",
    source: "own",
    reconciles: SimControlPlane,
    ...guardParts(SimControlPlane),
    inTurnWith: GUARD_TURNS,
    owns: [],
  },
  guardControlPlane,
);
