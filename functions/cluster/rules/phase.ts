import type { Cluster, ClusterPhase } from "../../../shared/api/cluster/cluster.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { isValidEndpoint } from "./endpoint.ts";

/** The phase for people; no step may decide on it. Where no rule matches the stored phase stays. */
export function clusterPhase(cluster: Cluster, infrastructureProvisioned: boolean): ClusterPhase {
  const { infrastructureRef, controlPlaneRef, controlPlaneEndpoint } = cluster.spec;
  if (isDeleting(cluster)) return "Deleting";
  if (infrastructureProvisioned && isValidEndpoint(controlPlaneEndpoint)) return "Provisioned";
  if (infrastructureRef !== undefined || controlPlaneRef !== undefined) return "Provisioning";
  return cluster.status?.phase ?? "Pending";
}
