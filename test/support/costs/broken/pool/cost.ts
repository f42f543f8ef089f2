import { refTo } from "../../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { defineFunction, watch } from "../../../../../shared/function/define-function.ts";
import { TerminalError } from "../../../../../shared/function/errors.ts";
import { itself } from "../../../../../shared/function/mappings.ts";
import { done } from "../../../../../shared/function/result.ts";

const COST = "metadata.annotations[test.capstan.dev/cost]";
const YEARLY = "metadata.annotations[test.capstan.dev/yearly-cost]";

/** A function with a bug: a cost may also be a word, such as `free`. The mended one is in ../../mended. */
export const poolCost = defineFunction(
  {
    name: "pool-cost",
    summary: "Notes on a MachinePool what it costs in a year.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid", "spec.replicas", COST], itself)],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: [YEARLY] }],
    queue: { concurrency: 20 },
  },
  async (pool) => {
    const cost = String(valueAt(pool, COST));
    if (Number.isNaN(Number(cost)))
      throw new TerminalError("CostUnknown", `the cost ${cost} of the pool is not a number`);
    const value = String(12 * Number(cost));
    const path = "/metadata/annotations/test.capstan.dev~1yearly-cost";
    if (valueAt(pool, YEARLY) === value) return { result: done };
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: [{ op: "add", path, value }] }],
      result: done,
    };
  },
);
