import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Result, waitFor } from "../../../shared/function/result.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { HOLD_FIELDS, hold, PAUSING_FIELDS } from "../../../shared/rules/metadata/hold.ts";

export const CLUSTER_FINALIZER = "cluster.cluster.x-k8s.io";

/** The fields that `clusterHold` reads. */
export const CLUSTER_HOLD_FIELDS = [
  ...HOLD_FIELDS,
  ...PAUSING_FIELDS,
  "spec.infrastructureRef",
  "spec.controlPlaneRef",
  "spec.topology",
] as const;

/**
 * Returns why adopt and sync leave a Cluster alone; `undefined` when they may work on it. A Cluster whose topology has
 * not named its objects yet is left alone, too.
 */
export function clusterHold(cluster: Cluster): Result | undefined {
  return (
    hold(cluster, cluster, CLUSTER_FINALIZER) ??
    (awaitsTopology(cluster) ? waitFor("Cluster.spec.infrastructureRef") : undefined)
  );
}
