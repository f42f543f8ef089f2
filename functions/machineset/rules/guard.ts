import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { groupOf } from "../../../shared/api/kinds.ts";
import { type MachineSet, SET_FINALIZER } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { isDeleting, isPaused } from "../../../shared/function/guards.ts";
import { FILLED_FIELDS, filledLabelsPatch } from "../../../shared/rules/machines/machine-labels.ts";
import { defaultReplicas } from "../../../shared/rules/machines/node-group-size.ts";
import { addFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import { ownerReference, ownerReferencePatch } from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { ownLabel } from "./problems.ts";

/** The fields of which admission would have written defaults. */
const DEFAULTED_FIELDS = ["spec.replicas", ...FILLED_FIELDS] as const;
/** The fields of a set that `setGuardPatch` writes. */
export const GUARDED_FIELDS = ["metadata.finalizers", ...ADOPTED_FIELDS, ...DEFAULTED_FIELDS] as const;

/**
 * Returns the missing parts of the set itself: finalizer, cluster label (on itself, its selector and its template),
 * Cluster owner reference, absent defaults. A paused set gets the finalizer only, a deleted one no finalizer and no
 * defaults, a deleted and paused one nothing.
 */
export function setGuardPatch(set: MachineSet, cluster: Cluster): readonly PatchOperation[] {
  const finalizer = isDeleting(set) ? [] : addFinalizerPatch(set, SET_FINALIZER);
  if (isPaused(cluster, set)) return finalizer;
  return [
    ...finalizer,
    ...labelPatch(set, CLUSTER_NAME_LABEL, set.spec.clusterName),
    ...(isOfDeployment(set) ? [] : ownerReferencePatch(set, ownerReference(Cluster, cluster))),
    ...(isDeleting(set) ? [] : [...filledLabelsPatch(set.spec, ownLabel(set)), ...replicasPatch(set)]),
  ];
}

/** A MachineDeployment owns the set, or will adopt it: after a restore the right owner must win. */
function isOfDeployment({ metadata }: MachineSet): boolean {
  return (
    Object.hasOwn(metadata.labels ?? {}, DEPLOYMENT_NAME_LABEL) ||
    (metadata.ownerReferences ?? []).some(
      ({ apiVersion, kind }) => kind === "MachineDeployment" && groupOf(apiVersion) === "cluster.x-k8s.io",
    )
  );
}

/** Admission sets them where it runs, so that they are never absent there. */
function replicasPatch(set: MachineSet): readonly PatchOperation[] {
  const value = set.spec.replicas === undefined ? defaultReplicas(set) : undefined;
  return value === undefined ? [] : [{ op: "add", path: "/spec/replicas", value }];
}
