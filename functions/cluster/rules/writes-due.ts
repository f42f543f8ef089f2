import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { isAdoptionDue } from "../../../shared/rules/providers/adoption.ts";
import { clusterClaim } from "./adoption.ts";
import { desiredEndpoint } from "./endpoint.ts";
import { clusterGuardPatch } from "./guard.ts";
import { type ClusterProviders, providersOf } from "./providers.ts";

/**
 * Whether a sibling still has finalizer, ownership or endpoint to write: then a status written now would be written
 * again. Decided with the rules those siblings decide with.
 */
export function clusterWritesDue(cluster: Cluster, providers: ClusterProviders): boolean {
  if (isAtRest(cluster, cluster)) return false;
  if (clusterGuardPatch(cluster).length > 0) return true;
  if (awaitsTopology(cluster)) return false;
  return (
    isAdoptionDue(clusterClaim(cluster), providersOf(cluster, providers)) ||
    desiredEndpoint(cluster, providers) !== "keep"
  );
}
