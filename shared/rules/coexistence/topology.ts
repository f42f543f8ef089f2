import type { Cluster } from "../../api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../api/core.ts";
import type { Notice } from "../../function/define-function.ts";
import type { Reader } from "../../function/reads.ts";
import { isDeleting } from "../metadata/deletion.ts";

const CLUSTER_CLASSES = { namespace: "", name: "clusterclasses.cluster.x-k8s.io" };

/**
 * Whether Cluster API's topology controller may run here: a server that does not serve ClusterClasses has none.
 * Asked only for a Cluster with a topology. Source: CL-3.9
 */
export async function readTopologyRuns(read: Pick<Reader, "get">, { spec }: Cluster): Promise<boolean> {
  if (spec.topology === undefined) return false;
  const crd = await read.get(CustomResourceDefinition, CLUSTER_CLASSES);
  return crd?.spec.versions.some(({ served }) => served) === true;
}

/**
 * Returns the problem of `spec.topology` where no topology controller runs; `undefined` = nothing. Capstan
 * has none.
 * Differs: upstream says for ever that it waits for the topology to be reconciled.
 */
export function topologyProblem(cluster: Cluster, topologyRuns: boolean): string | undefined {
  if (cluster.spec.topology === undefined || topologyRuns || isDeleting(cluster)) return undefined;
  const needs = "spec.topology needs Cluster API's topology controller, which does not run here";
  return awaitsTopology(cluster)
    ? `${needs}; set infrastructureRef and controlPlaneRef instead`
    : `${needs}; change the referenced objects instead`;
}

/** One Warning Event. */
export function topologyNotices(cluster: Cluster, topologyRuns: boolean): readonly Notice[] {
  const message = topologyProblem(cluster, topologyRuns);
  return message === undefined ? [] : [{ type: "Warning", reason: "TopologyNotSupported", message }];
}

/**
 * With a topology and a reference that its controller has not generated yet nothing is adopted, synced or latched.
 * Source: CL-3.9
 */
export function awaitsTopology({ spec }: Cluster): boolean {
  return (
    spec.topology !== undefined &&
    (spec.infrastructureRef === undefined || spec.controlPlaneRef === undefined)
  );
}
