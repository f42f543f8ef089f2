import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { NODE_DELETION_TIMEOUT_SECONDS } from "../../../shared/api/machine/machine-template.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { isDeleting, isPaused } from "../../../shared/function/guards.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import { absentDefaultPatch } from "../../../shared/rules/metadata/absent-default.ts";
import { addFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";

export const POOL_FINALIZER = "machinepool.cluster.x-k8s.io";

/** The fields of a pool that `poolGuardPatch` writes. */
export const GUARDED_FIELDS = [
  "metadata.finalizers",
  ...ADOPTED_FIELDS,
  "spec.replicas",
  "spec.template.spec.deletion.nodeDeletionTimeoutSeconds",
] as const;

/**
 * Returns the missing parts of the pool itself: finalizer, cluster label, Cluster owner reference, absent defaults. A
 * paused pool gets the finalizer only, a deleted one no finalizer and no defaults, a deleted and paused one nothing.
 */
export function poolGuardPatch(pool: MachinePool, cluster: Cluster): readonly PatchOperation[] {
  const finalizer = isDeleting(pool) ? [] : addFinalizerPatch(pool, POOL_FINALIZER);
  if (isPaused(cluster, pool)) return finalizer;
  return [
    ...finalizer,
    ...labelPatch(pool, CLUSTER_NAME_LABEL, pool.spec.clusterName),
    ...ownerReferencePatch(pool, ownerReference(Cluster, cluster)),
    ...(isDeleting(pool) ? [] : defaultsPatch(pool)),
  ];
}

/** Admission sets these where it runs, so that they are never absent there. */
function defaultsPatch(pool: MachinePool): readonly PatchOperation[] {
  const { replicas, template } = pool.spec;
  const size = replicas === undefined ? defaultReplicas(pool) : undefined;
  return [
    ...(size === undefined ? [] : [{ op: "add", path: "/spec/replicas", value: size } as const]),
    ...absentDefaultPatch({
      path: "/spec/template/spec/deletion",
      parent: template.spec.deletion,
      member: "nodeDeletionTimeoutSeconds",
      value: NODE_DELETION_TIMEOUT_SECONDS,
    }),
  ];
}
