import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ClusterResourceSetBinding } from "../../../shared/api/clusterresourceset.ts";
import { CLUSTER_GROUP, groupOf, type OwnerReference } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { isDeleting } from "../../../shared/function/define-function.ts";

/** The annotation of a hook that lets the deletion of a Cluster with topology continue. */
const OK_TO_DELETE = "runtime.cluster.x-k8s.io/ok-to-delete";

/** Whether nothing is brought into a Cluster any more: it is gone, or its deletion has begun and no hook holds it. */
export function isReleased(cluster: Cluster | undefined): boolean {
  if (cluster === undefined) return true;
  if (!isDeleting(cluster)) return false;
  return (
    cluster.spec.topology === undefined || Object.hasOwn(cluster.metadata.annotations ?? {}, OK_TO_DELETE)
  );
}

/** Returns the name of the Cluster of a binding, of old in an owner reference. */
export function clusterNameIn({ spec, metadata }: ClusterResourceSetBinding): string | undefined {
  return spec?.clusterName ?? metadata.ownerReferences?.find(isCluster)?.name;
}

/** Operations that name the Cluster in the spec and no longer as an owner, as bindings of old do. */
export function ownClusterPatch(binding: ClusterResourceSetBinding): readonly PatchOperation[] {
  const { spec, metadata } = binding;
  const owners = metadata.ownerReferences ?? [];
  const name = clusterNameIn(binding);
  const others = owners.filter((owner) => !isCluster(owner));
  return [
    ...(spec?.clusterName === undefined && name !== undefined
      ? [{ op: "add", path: "/spec/clusterName", value: name } as const]
      : []),
    ...(others.length === owners.length
      ? []
      : [{ op: "add", path: "/metadata/ownerReferences", value: others } as const]),
  ];
}

function isCluster({ apiVersion, kind }: OwnerReference): boolean {
  return kind === "Cluster" && groupOf(apiVersion) === CLUSTER_GROUP;
}
