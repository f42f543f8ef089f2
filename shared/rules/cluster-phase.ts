import type { Cluster, ClusterPhase } from "../api/cluster.ts";
import { isValidEndpoint } from "./cluster-endpoint.ts";
import { isDeleting } from "./cluster-references.ts";

/**
 * The phase for people; no step may decide on it. Where no rule matches the stored phase stays.
 * Source: cluster-and-controlplane.md 4
 */
export function clusterPhase(cluster: Cluster, infrastructureProvisioned: boolean): ClusterPhase {
  const { infrastructureRef, controlPlaneRef, controlPlaneEndpoint } = cluster.spec;
  if (isDeleting(cluster)) return "Deleting";
  if (infrastructureProvisioned && isValidEndpoint(controlPlaneEndpoint)) return "Provisioned";
  if (infrastructureRef !== undefined || controlPlaneRef !== undefined) return "Provisioning";
  return cluster.status?.phase ?? "Pending";
}
