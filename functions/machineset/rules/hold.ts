import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Result } from "../../../shared/function/result.ts";
import { hold } from "../../../shared/rules/metadata/hold.ts";

export const SET_FINALIZER = "cluster.x-k8s.io/machineset";

/** Returns why a set is left alone; `undefined` when it may be worked on. */
export function setHold(set: MachineSet, cluster: Cluster | undefined): Result | undefined {
  return hold(set, cluster, SET_FINALIZER);
}
