import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type Failure, lastingFailure, reportedFailure } from "../../../shared/rules/providers/failures.ts";
import { ownObject } from "./adoption.ts";
import type { ClusterProviders } from "./providers.ts";

/** Returns the terminal failures of the provider objects; the control plane object comes later and wins. */
export function clusterFailure(
  cluster: Cluster,
  { infrastructure, controlPlane }: ClusterProviders,
): Failure {
  return lastingFailure(cluster.status?.deprecated?.v1beta1, [
    reportedFailure(ownObject(cluster, infrastructure)),
    reportedFailure(ownObject(cluster, controlPlane)),
  ]);
}
