import type { Kind } from "../../../../shared/api/kinds.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import { deleteControlPlane } from "./rules/control-plane-machines.ts";
import { deleteParts, finalizerTurn } from "./rules/control-plane-spec-parts.ts";

export const simLegacyDelete = defineFunction<SimControlPlaneLegacy>(
  {
    name: "sim-legacy-delete",
    summary:
      "Deletes the Machines of a deleted SimControlPlaneLegacy once its Cluster has no workers, then its finalizer.",
    source: "own",
    reconciles: SimControlPlaneLegacy,
    ...deleteParts(SimControlPlaneLegacy),
    inTurnWith: finalizerTurn("sim-legacy-guard", SimControlPlaneLegacy as unknown as Kind),
    owns: [],
  },
  deleteControlPlane,
);
