import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";

/** A step that never ends, and never lets go of its thread. */
export const poolLoop = defineFunction(
  {
    name: "pool-loop",
    summary: "Loops.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid"], itself)],
    owns: [],
  },
  async () => {
    for (let turns = 0; ; turns += 1) if (turns < 0) return { result: done };
  },
);
