import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";

/** A step that ends its thread. */
export const poolExit = defineFunction(
  {
    name: "pool-exit",
    summary: "Exits.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid"], itself)],
    owns: [],
  },
  async () => {
    process.exit(3);
  },
);
