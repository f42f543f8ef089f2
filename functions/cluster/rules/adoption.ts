import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { groupOf, type KubeObject, type OwnerReference } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { labelPatch } from "../../../shared/rules/metadata/labels.ts";
import {
  controllerOf,
  controllerReference,
  isOwnedBy,
  ownerReference,
  ownerReferencePatch,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";

/**
 * `ours`: carries the Cluster's uid. `renamed`: an entry of its name with another uid (moved, restored, recreated).
 * `none`: no entry for it. `missing`: no object.
 */
export type ClusterOwnership = "ours" | "renamed" | "none" | "missing";

export function clusterOwnership(cluster: Cluster, object: KubeObject | undefined): ClusterOwnership {
  if (object === undefined) return "missing";
  if (isOwnedBy(object, cluster.metadata.uid)) return "ours";
  return isOwnedByName(object, cluster) ? "renamed" : "none";
}

/** Owned as deletion and counting see it: group, kind and name; version and uid are not compared. */
export function isOwnedByName(object: KubeObject, cluster: Cluster): boolean {
  return clusterOwners(object).some((owner) => owner.name === cluster.metadata.name);
}

/** The Clusters among the owners of an object. */
export function clusterOwners(object: KubeObject): readonly OwnerReference[] {
  return (object.metadata.ownerReferences ?? []).filter(
    (owner) => owner.kind === Cluster.kind && groupOf(owner.apiVersion) === Cluster.group,
  );
}

/** What is to be written on a provider object, or whose it is. */
export type ClusterAdoption =
  | { readonly state: "patch"; readonly operations: readonly PatchOperation[] }
  | { readonly state: "refused"; readonly controller: OwnerReference };

/**
 * Operations that give a provider object the Cluster's owner reference and label; none when both are right. Without
 * a topology the reference is no controller, so that other tools may control the object; with one a foreign
 * controller is refused. Source: cluster-and-controlplane.md 3.1
 */
export function clusterAdoption(cluster: Cluster, object: KubeObject): ClusterAdoption {
  const desired =
    cluster.spec.topology === undefined
      ? ownerReference(Cluster, cluster)
      : controllerReference(Cluster, cluster);
  const controller = controllerOf(object);
  if (desired.controller === true && controller !== undefined && !sameOwner(controller, desired)) {
    return { state: "refused", controller };
  }
  const operations = [
    ...ownerReferencePatch(object, desired),
    ...labelPatch(object, CLUSTER_NAME_LABEL, cluster.metadata.name),
  ];
  return { state: "patch", operations };
}
