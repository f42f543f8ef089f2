import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { groupOf, type KubeObject, type OwnerReference } from "../../../shared/api/kinds.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { controllerReference, ownerReference } from "../../../shared/rules/metadata/owner-references.ts";
import { type Claim, ownAmong } from "../../../shared/rules/providers/adoption.ts";

/**
 * Returns the wanted owner reference of a Cluster on its provider objects. Without a topology it does not control them,
 * so that other tools may; with one a foreign controller is refused.
 */
export function clusterClaim(cluster: Cluster): Claim {
  const { topology } = cluster.spec;
  return {
    owner: topology === undefined ? ownerReference(Cluster, cluster) : controllerReference(Cluster, cluster),
    believes: "owned",
    clusterName: cluster.metadata.name,
  };
}

/** Returns the object whose values count: one that carries the Cluster's uid, not that of an earlier Cluster. */
export function ownObject(cluster: Cluster, found: Referenced | undefined): Found | undefined {
  return ownAmong(clusterClaim(cluster), found);
}

/** Whether it is owned as deletion and counting see it: group, kind and name; version and uid are not compared. */
export function isOwnedByName(object: KubeObject, cluster: Cluster): boolean {
  return clusterOwners(object).some((owner) => owner.name === cluster.metadata.name);
}

/** The Clusters among the owners of an object. */
export function clusterOwners(object: KubeObject): readonly OwnerReference[] {
  return (object.metadata.ownerReferences ?? []).filter(
    (owner) => owner.kind === Cluster.kind && groupOf(owner.apiVersion) === Cluster.group,
  );
}
