import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { setGuardPatch } from "./guard.ts";

/**
 * Whether the guard still has something to write on the set itself: then a status written now would be written again.
 * Decided by the guard's own rule.
 */
export function setWritesDue(set: MachineSet, cluster: Cluster | undefined): boolean {
  return cluster !== undefined && !isAtRest(set, cluster) && setGuardPatch(set, cluster).length > 0;
}
