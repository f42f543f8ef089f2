import type { Cluster } from "../api/cluster.ts";
import { done, type Result, waitFor } from "../runtime/result.ts";
import { CLUSTER_FINALIZER } from "./cluster-ownership.ts";
import { awaitsTopology, isDeleting } from "./cluster-references.ts";
import { hasFinalizer } from "./finalizers.ts";
import { pausedBy } from "./paused.ts";

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
