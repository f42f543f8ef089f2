import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { addFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";

export const CLUSTER_FINALIZER = "cluster.cluster.x-k8s.io";

/** The field of a Cluster that `clusterGuardPatch` writes. */
export const GUARDED_FIELDS = ["metadata.finalizers"] as const;

/**
 * Returns what is missing on the Cluster itself: its finalizer, paused or not, for without it a Cluster could vanish
 * under its machines. Nothing for one that is being deleted.
 */
export function clusterGuardPatch(cluster: Cluster): readonly PatchOperation[] {
  return isDeleting(cluster) ? [] : addFinalizerPatch(cluster, CLUSTER_FINALIZER);
}
