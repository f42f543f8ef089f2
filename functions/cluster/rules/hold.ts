import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { done, type Result, waitFor } from "../../../shared/function/result.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { hasFinalizer } from "../../../shared/rules/metadata/finalizers.ts";
import { pausedBy } from "../../../shared/rules/metadata/paused.ts";
import { CLUSTER_FINALIZER } from "./adoption.ts";

/**
 * Why adopt and sync leave a Cluster alone: it is being deleted, is paused, is not guarded yet, or its topology has
 * not named its objects yet. `undefined` when they may work. Source: cluster-functions.md, "Who acts when"
 */
export function clusterHold(cluster: Cluster): Result | undefined {
  if (isDeleting(cluster)) return done;
  const pause = pausedBy(cluster, cluster);
  if (pause !== undefined) return waitFor(pause);
  if (!hasFinalizer(cluster, CLUSTER_FINALIZER)) return waitFor("Cluster.metadata.finalizers");
  return awaitsTopology(cluster) ? waitFor("Cluster.spec.infrastructureRef") : undefined;
}
