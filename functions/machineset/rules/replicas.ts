import type { MachineSet } from "../../../shared/api/machineset.ts";
import { nodeGroupSize } from "../../../shared/rules/machines/node-group-size.ts";

/**
 * Returns the number of Machines of a set that says none: 1, or, where the autoscaler's annotations give a range, what
 * the set has, within that range, at first the minimum. `undefined` when they are not counts. Source: MS-3
 */
export function defaultReplicas(set: MachineSet): number | undefined {
  const size = nodeGroupSize(set);
  if (size === undefined) return 1;
  if (size === "malformed") return undefined;
  return Math.max(size.min, Math.min(size.max, set.status?.replicas ?? size.min));
}
