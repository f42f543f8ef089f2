import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { Result } from "../../../shared/function/result.ts";
import { hold, unguarded } from "../../../shared/rules/metadata/hold.ts";

export const POOL_FINALIZER = "machinepool.cluster.x-k8s.io";

/** Returns why a pool is left alone; `undefined` when it may be worked on. */
export function poolHold(pool: MachinePool, cluster: Cluster | undefined): Result | undefined {
  return hold(pool, cluster, POOL_FINALIZER);
}

/** Returns what `status` waits for before it says anything about a pool that lives. */
export function poolUnguarded(pool: MachinePool): Result | undefined {
  return unguarded(pool, POOL_FINALIZER);
}

/** Whether all but the guard have nothing to do yet: its patch wakes them. */
export function isUnguarded(pool: MachinePool): boolean {
  return poolUnguarded(pool) !== undefined;
}
