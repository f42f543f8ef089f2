import { refTo } from "../../../../../shared/api/kinds.ts";
import { defineFunction, watch } from "../../../../../shared/function/define-function.ts";
import { itself } from "../../../../../shared/function/mappings.ts";
import { done } from "../../../../../shared/function/result.ts";
import { addFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import { MachineGroup } from "../../shared/api/machinegroup.ts";

/** A function of a kind that is not part of Capstan. */
export const machinegroupGuard = defineFunction(
  {
    name: "machinegroup-guard",
    summary: "Makes a MachineGroup safe to work on.",
    source: "own",
    reconciles: MachineGroup,
    watches: [watch(MachineGroup, ["metadata.uid", "metadata.finalizers"], itself)],
    owns: [],
    ownsOn: [{ kind: MachineGroup, fields: ["metadata.finalizers"] }],
  },
  async (group) => ({
    patch: [
      { target: refTo(MachineGroup, group), operations: addFinalizerPatch(group, "cluster.x-k8s.io/group") },
    ],
    result: done,
  }),
);
