import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, POOL_NAME_LABEL, SET_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { groupOf } from "../../../shared/api/kinds.ts";
import { MACHINE_FINALIZER, type Machine } from "../../../shared/api/machine/machine.ts";
import { NODE_DELETION_TIMEOUT_SECONDS } from "../../../shared/api/machine/machine-template.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { isDeleting, isPaused } from "../../../shared/function/guards.ts";
import { CONTROL_PLANE_NAME_LABEL } from "../../../shared/rules/machines/control-plane-machine.ts";
import { absentDefaultPatch } from "../../../shared/rules/metadata/absent-default.ts";
import { addFinalizerPatch } from "../../../shared/rules/metadata/finalizers.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import {
  controllerOf,
  ownerReference,
  ownerReferencePatch,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";

/** The fields of a Machine that `machineGuardPatch` writes. */
export const GUARDED_FIELDS = [
  "metadata.finalizers",
  ...ADOPTED_FIELDS,
  "spec.deletion.nodeDeletionTimeoutSeconds",
] as const;

/** Labels by which an owner finds its Machine again after a restore has stripped the references. */
const OWNER_LABELS = [SET_NAME_LABEL, POOL_NAME_LABEL, CONTROL_PLANE_NAME_LABEL];

/** The further fields that `machineGuardPatch` reads. */
export const OWNER_LABEL_FIELDS = OWNER_LABELS.map((label) => `metadata.labels[${label}]`);

/**
 * Returns the missing parts of the Machine itself: finalizer, cluster label, Cluster owner reference, absent default. A
 * paused Machine gets the finalizer only, a deleted one nothing.
 */
export function machineGuardPatch(machine: Machine, cluster: Cluster): readonly PatchOperation[] {
  if (isDeleting(machine)) return [];
  const finalizer = addFinalizerPatch(machine, MACHINE_FINALIZER);
  if (isPaused(cluster, machine)) return finalizer;
  return [
    ...finalizer,
    ...labelPatch(machine, CLUSTER_NAME_LABEL, machine.spec.clusterName),
    ...ownerPatch(machine, cluster),
    ...absentDefaultPatch({
      path: "/spec/deletion",
      parent: machine.spec.deletion,
      member: "nodeDeletionTimeoutSeconds",
      value: NODE_DELETION_TIMEOUT_SECONDS,
    }),
  ];
}

/**
 * Only a Machine that nothing else is going to adopt gets the reference.
 * Differs: an entry of the Cluster under an earlier uid or version is replaced; upstream takes it for present, and the
 * garbage collector takes the Machine.
 */
function ownerPatch(machine: Machine, cluster: Cluster): readonly PatchOperation[] {
  const desired = ownerReference(Cluster, cluster);
  const owners = machine.metadata.ownerReferences ?? [];
  const isKnown = owners.some((owner) => sameOwner(owner, desired));
  return isKnown || isAlone(machine) ? ownerReferencePatch(machine, desired) : [];
}

function isAlone(machine: Machine): boolean {
  const { labels = {}, ownerReferences = [] } = machine.metadata;
  return (
    controllerOf(machine) === undefined &&
    !ownerReferences.some(
      ({ apiVersion, kind }) => kind === Cluster.kind && groupOf(apiVersion) === Cluster.group,
    ) &&
    !OWNER_LABELS.some((label) => Object.hasOwn(labels, label))
  );
}
