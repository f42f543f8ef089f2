import type { Cluster } from "../../api/cluster/cluster.ts";
import { CustomResourceDefinition, isOurs } from "../../api/core.ts";
import { MINUTE } from "../../function/backoff.ts";
import type { Notice } from "../../function/define-function.ts";
import { isDeleting } from "../../function/guards.ts";
import type { Reader } from "../../function/reads.ts";
import { conditionOf } from "../conditions/conditions.ts";

const CLUSTER_CLASSES = { namespace: "", name: "clusterclasses.cluster.x-k8s.io" };

/**
 * Whether Cluster API's topology controller may run here: a server that does not serve its ClusterClasses has none.
 * Asked only for a Cluster with a topology.
 */
export async function readTopologyRuns(read: Pick<Reader, "get">, { spec }: Cluster): Promise<boolean> {
  if (spec.topology === undefined) return false;
  const crd = await read.get(CustomResourceDefinition, CLUSTER_CLASSES);
  return crd !== undefined && !isOurs(crd) && crd.spec.versions.some(({ served }) => served);
}

/**
 * Returns the problem of `spec.topology` where no topology controller runs; `undefined` = nothing. Capstan
 * has none.
 * Differs: upstream says for ever that it waits for the topology to be reconciled.
 */
export function topologyProblem(cluster: Cluster, topologyRuns: boolean, now: Date): string | undefined {
  if (cluster.spec.topology === undefined || isDeleting(cluster)) return undefined;
  const needs = "spec.topology needs Cluster API's topology controller, which does not run here";
  if (topologyRuns) {
    if ((topologyExpiresInMs(cluster, topologyRuns, now) ?? 1) > 0) return undefined;
    return `${needs}: its kinds are installed, and nothing has reconciled it; start Cluster API's manager with the feature gate ClusterTopology, or set infrastructureRef and controlPlaneRef instead`;
  }
  return awaitsTopology(cluster)
    ? `${needs}; set infrastructureRef and controlPlaneRef instead`
    : `${needs}; change the referenced objects instead`;
}

/**
 * Returns when a topology controller must have said something about a Cluster whose references it generates, at most 0
 * once that is over; `undefined`: it has, or nothing waits for it. The CRDs alone do not show that one runs.
 */
export function topologyExpiresInMs(cluster: Cluster, topologyRuns: boolean, now: Date): number | undefined {
  if (!topologyRuns || !awaitsTopology(cluster) || isDeleting(cluster)) return undefined;
  const { conditions, deprecated } = cluster.status ?? {};
  const isReported =
    conditionOf(conditions, "TopologyReconciled") !== undefined ||
    conditionOf(deprecated?.v1beta1?.conditions, "TopologyReconciled") !== undefined;
  const createdMs = Date.parse(cluster.metadata.creationTimestamp ?? "");
  return isReported || Number.isNaN(createdMs) ? undefined : createdMs + STARTS_WITHIN_MS - now.getTime();
}
/** A controller that runs says within seconds how it stands. */
const STARTS_WITHIN_MS = MINUTE;

/** One Warning Event. */
export function topologyNotices(cluster: Cluster, topologyRuns: boolean, now: Date): readonly Notice[] {
  const message = topologyProblem(cluster, topologyRuns, now);
  return message === undefined ? [] : [{ type: "Warning", reason: "TopologyNotSupported", message }];
}

/** Whether a topology has a reference still to be generated: then nothing is adopted, synced or latched. */
export function awaitsTopology({ spec }: Cluster): boolean {
  return (
    spec.topology !== undefined &&
    (spec.infrastructureRef === undefined || spec.controlPlaneRef === undefined)
  );
}
