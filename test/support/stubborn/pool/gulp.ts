import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";

/** A step that asks for much memory at once. */
export const poolGulp = defineFunction(
  {
    name: "pool-gulp",
    summary: "Fills the memory at once.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid"], itself)],
    owns: [],
  },
  async () => {
    const kept = new Array<number>(500_000_000).fill(1.5);
    return { result: kept.length > 0 ? done : done };
  },
);
