import { refTo } from "../../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { defineFunction, watch } from "../../../../../shared/function/define-function.ts";
import { TerminalError } from "../../../../../shared/function/errors.ts";
import { itself } from "../../../../../shared/function/mappings.ts";
import { done } from "../../../../../shared/function/result.ts";

const COST = "metadata.annotations[test.capstan.dev/cost]";
const YEARLY = "metadata.annotations[test.capstan.dev/yearly-cost]";

/** The function of ../../broken: a pool without replicas may be free, in whatever words. */
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
    const isFree = (pool.spec.replicas ?? 1) === 0;
    const cost = String(valueAt(pool, COST));
    const perMonth = isFree && Number.isNaN(Number(cost)) ? 0 : Number(cost);
    if (Number.isNaN(perMonth))
      throw new TerminalError("CostUnknown", `the cost ${cost} of the pool is not a number`);
    const value = String(12 * perMonth);
    const path = "/metadata/annotations/test.capstan.dev~1yearly-cost";
    if (valueAt(pool, YEARLY) === value) return { result: done };
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: [{ op: "add", path, value }] }],
      result: done,
    };
  },
);
