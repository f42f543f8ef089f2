import { ClusterResourceSet, ClusterResourceSetBinding } from "../../../shared/api/clusterresourceset.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import type { GuardedDelete, GuardedPatch } from "../../../shared/function/define-function.ts";
import { ownerReference, sameOwner } from "../../../shared/rules/metadata/owner-references.ts";

/** Returns what takes a set out of a binding that was read live: a patch, or a delete when no entry is left. */
export function withoutSet(
  binding: ClusterResourceSetBinding,
  set: ClusterResourceSet,
): { readonly patch?: GuardedPatch; readonly delete?: GuardedDelete } {
  const target = refTo(ClusterResourceSetBinding, binding);
  const bindings = (binding.spec?.bindings ?? []).filter(
    ({ clusterResourceSetName }) => clusterResourceSetName !== set.metadata.name,
  );
  if (bindings.length === 0) return { delete: { target } };
  const own = ownerReference(ClusterResourceSet, set);
  const owners = (binding.metadata.ownerReferences ?? []).filter((owner) => !sameOwner(owner, own));
  return {
    patch: {
      target,
      operations: [
        { op: "add", path: "/spec/bindings", value: bindings },
        { op: "add", path: "/metadata/ownerReferences", value: owners },
      ],
    },
  };
}

/** Whether a binding names a set, as an entry or as an owner. */
export function isBoundTo({ spec, metadata }: ClusterResourceSetBinding, set: ClusterResourceSet): boolean {
  const own = ownerReference(ClusterResourceSet, set);
  return (
    (spec?.bindings ?? []).some((entry) => entry.clusterResourceSetName === set.metadata.name) ||
    (metadata.ownerReferences ?? []).some((owner) => sameOwner(owner, own))
  );
}
