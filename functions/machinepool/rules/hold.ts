import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { done, type Result, waitFor } from "../../../shared/function/result.ts";
import { hasFinalizer } from "../../../shared/rules/metadata/finalizers.ts";
import { pausedBy } from "../../../shared/rules/metadata/paused.ts";

export const POOL_FINALIZER = "machinepool.cluster.x-k8s.io";

/**
 * Why a pool is left alone: it is being deleted, has no Cluster, is paused, or is not guarded yet. `undefined` when
 * it may be worked on. Source: machinepool-functions.md, "Who acts when"
 */
export function poolHold(pool: MachinePool, cluster: Cluster | undefined): Result | undefined {
  if (pool.metadata.deletionTimestamp !== undefined) return done;
  if (cluster === undefined) return waitFor("Cluster.metadata.uid");
  const pause = pausedBy(cluster, pool);
  if (pause !== undefined) return waitFor(pause);
  if (!hasFinalizer(pool, POOL_FINALIZER)) return waitFor("MachinePool.metadata.finalizers");
  return undefined;
}
