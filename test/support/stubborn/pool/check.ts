import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";

/** A step that works. */
export const poolCheck = defineFunction(
  {
    name: "pool-check",
    summary: "Works.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid"], itself)],
    owns: [],
  },
  async () => {
    return { result: done };
  },
);
