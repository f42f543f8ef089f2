import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { nodeGroupSize } from "../../../shared/rules/machines/node-group-size.ts";

/** The autoscaler's minimum where both its annotations are there, else 1; `undefined` when they are not counts. */
export function defaultReplicas(pool: MachinePool): number | undefined {
  const size = nodeGroupSize(pool);
  if (size === undefined) return 1;
  return size === "malformed" ? undefined : size.min;
}
