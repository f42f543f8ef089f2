import type { Kind } from "../../../../shared/api/kinds.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { SimControlPlane } from "../../api/sim-controlplane.ts";
import { deleteControlPlane } from "./rules/control-plane-machines.ts";
import { deleteParts, finalizerTurn } from "./rules/control-plane-spec-parts.ts";

export const simControlplaneDelete = defineFunction<SimControlPlane>(
  {
    name: "sim-controlplane-delete",
    summary:
      "Deletes the Machines of a deleted SimControlPlane once its Cluster has no workers, then its finalizer.",
    source: "own",
    reconciles: SimControlPlane,
    ...deleteParts(SimControlPlane),
    inTurnWith: finalizerTurn("sim-controlplane-guard", SimControlPlane as unknown as Kind),
    owns: [],
  },
  deleteControlPlane,
);
