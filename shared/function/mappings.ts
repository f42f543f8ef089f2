import { Cluster } from "../api/cluster/cluster.ts";
import type { Member } from "../api/indexes.ts";
import {
  CLUSTER_NAME_LABEL,
  CONTROL_PLANE_LABEL,
  clusterNameOf,
  DEPLOYMENT_NAME_LABEL,
  memberOf,
  POOL_NAME_LABEL,
  referencesOf,
  referenceValue,
  SET_NAME_LABEL,
} from "../api/indexes.ts";
import { groupOf, type Kind } from "../api/kinds.ts";
import { labelValueOf } from "../api/names.ts";
import { valueAt } from "../api/path.ts";
import { kindOf } from "../api/registry.ts";
import type { ToKeys } from "./spec.ts";

/** The object itself. */
export const itself: ToKeys = async ({ object }, reconciled) => [memberOf(reconciled, object)];

/** A Cluster (or its Connection) → every reconciled object that names it. */
export const inCluster: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(reconciled, "cluster", `${object.metadata.namespace ?? ""}/${object.metadata.name}`);

/** An object of a Cluster, by its field → every reconciled object of the same Cluster. */
export const inClusterOf: ToKeys = async ({ object }, reconciled, lookup) => {
  const name = valueAt(object, "spec.clusterName");
  return typeof name === "string"
    ? lookup.find(reconciled, "cluster", `${object.metadata.namespace ?? ""}/${name}`)
    : [];
};

/** An object with the namespace and name of the reconciled one (a Connection → its Cluster). */
export const sameName: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(reconciled, "name", `${object.metadata.namespace ?? ""}/${object.metadata.name}`);

/** A Machine → the reconciled objects of its Cluster with its provider ID. */
export const sharingProviderID: ToKeys = async ({ object }, reconciled, lookup) => {
  const [cluster, providerID] = [valueAt(object, "spec.clusterName"), valueAt(object, "spec.providerID")];
  return typeof cluster === "string" && typeof providerID === "string" && providerID !== ""
    ? lookup.find(reconciled, "providerID", `${object.metadata.namespace ?? ""}/${cluster}|${providerID}`)
    : [];
};

/** A provider object that a Cluster references, such as its control plane → every reconciled object of that Cluster. */
export const inClusterReferencing: ToKeys = async (seen, reconciled, lookup) => {
  const clusters = await referencing(seen, Cluster as unknown as Kind, lookup);
  const found = clusters.map(({ namespace, name }) =>
    lookup.find(reconciled, "cluster", `${namespace}/${name}`),
  );
  return (await Promise.all(found)).flat();
};

/** A control plane Machine → every reconciled object of its Cluster; any other Machine → none. */
export const inClusterOfControlPlaneMachine: ToKeys = async (seen, reconciled, lookup) =>
  seen.object.metadata.labels?.[CONTROL_PLANE_LABEL] === undefined
    ? []
    : inClusterOf(seen, reconciled, lookup);

/** An object of a Cluster, by label → the reconciled objects of that Cluster. */
export const sameCluster: ToKeys = async ({ object: { metadata } }, reconciled, lookup) => {
  const name = metadata.labels?.[CLUSTER_NAME_LABEL];
  return name === undefined ? [] : lookup.find(reconciled, "cluster", `${metadata.namespace ?? ""}/${name}`);
};

/** An object of a Cluster, by label → that Cluster. */
export const clusterOf: ToKeys = async ({ object }, reconciled, lookup) => {
  const name =
    object.metadata.labels?.[CLUSTER_NAME_LABEL] ??
    clusterNameOf(undefined, object) ??
    valueAt(object, "spec.clusterName");
  return typeof name === "string"
    ? lookup.find(reconciled, "name", `${object.metadata.namespace ?? ""}/${name}`)
    : [];
};

/** A provider object → the objects that reference it by group, kind and name, owned or not. */
export const referencing: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(
    reconciled,
    "reference",
    referenceValue(
      { apiGroup: groupOf(object.apiVersion), kind: object.kind, name: object.metadata.name },
      object.metadata.namespace ?? "",
    ),
  );

/** A CustomResourceDefinition → the objects that reference an object of its kind. */
export const referencingKind: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(
    reconciled,
    "referencedKind",
    `${String(valueAt(object, "spec.group"))}/${String(valueAt(object, "spec.names.kind"))}`,
  );

/** An object → its owners of the reconciled kind, by uid. */
export const owners: ToKeys = async ({ object }, reconciled, lookup) => {
  const found = await Promise.all(
    (object.metadata.ownerReferences ?? []).map((owner) => lookup.find(reconciled, "uid", owner.uid)),
  );
  return found.flat();
};

/** An object → the reconciled objects that have an owner in common with it. */
export const siblings: ToKeys = async ({ object }, reconciled, lookup) => {
  const found = await Promise.all(
    (object.metadata.ownerReferences ?? []).map((owner) => lookup.find(reconciled, "owner", owner.uid)),
  );
  return found.flat();
};

/** An object → the reconciled objects that it owns. */
export const ownedBy: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(reconciled, "owner", object.metadata.uid ?? "");

/** A Machine or infrastructure machine, by its labels → the MachinePool whose it is; by controller, too. */
export const poolOfMachine: ToKeys = async (seen, reconciled, lookup) => {
  const { labels = {}, namespace = "" } = seen.object.metadata;
  const [pool, cluster] = [labels[POOL_NAME_LABEL], labels[CLUSTER_NAME_LABEL]];
  const owning = await owners(seen, reconciled, lookup);
  if (pool === undefined || cluster === undefined) return owning;
  // No name has an underscore. Only a look at all pools of the Cluster shows whose hash it is.
  const labelled = pool.includes("_")
    ? await lookup.find(reconciled, "cluster", `${namespace}/${cluster}`)
    : await lookup.find(reconciled, "name", `${namespace}/${pool}`);
  return [...owning, ...labelled.filter(({ name }) => labelValueOf(name) === pool)];
};

/**
 * A Machine, its config or its infrastructure machine → the MachineSet whose it is, by controller or by label. A
 * Machine without controller: every set of its Cluster, one of which may adopt it.
 */
export const setsOfMachine: ToKeys = async (seen, reconciled, lookup) => {
  const { labels = {}, namespace = "", ownerReferences = [] } = seen.object.metadata;
  const owning = await owners(seen, reconciled, lookup);
  if (owning.length > 0) return owning;
  const cluster = valueAt(seen.object, "spec.clusterName") ?? labels[CLUSTER_NAME_LABEL];
  const inTheCluster = await lookup.find(reconciled, "cluster", `${namespace}/${String(cluster)}`);
  const isOrphan = !ownerReferences.some(({ controller }) => controller === true);
  if (isOrphan && seen.object.kind === "Machine") return inTheCluster;
  const set = labels[SET_NAME_LABEL];
  return set === undefined ? [] : inTheCluster.filter(({ name }) => labelValueOf(name) === set);
};

/**
 * A MachineSet → the MachineDeployment that controls it. One without controller, or with one of that kind that is gone:
 * every deployment of its Cluster, one of which may adopt it.
 */
export const deploymentOfSet: ToKeys = async (seen, reconciled, lookup) => {
  const owning = await owners(seen, reconciled, lookup);
  if (owning.length > 0) return owning;
  const controller = seen.object.metadata.ownerReferences?.find((owner) => owner.controller === true);
  const isFree = controller === undefined || controller.kind === reconciled.kind;
  return isFree ? inClusterOf(seen, reconciled, lookup) : [];
};

/** A Machine → its MachineDeployment, by the label that its set gives it. */
export const deploymentOfMachine: ToKeys = async ({ object: { metadata } }, reconciled, lookup) => {
  const name = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  return name === undefined ? [] : lookup.find(reconciled, "name", `${metadata.namespace ?? ""}/${name}`);
};

/** An object → the reconciled provider objects that it references. */
export const referenced: ToKeys = async ({ object }, reconciled, lookup) => {
  const references = referencesOf(kindOf(groupOf(object.apiVersion), object.kind), object);
  const found = references
    .filter(({ apiGroup, kind }) => apiGroup === reconciled.group && kind === reconciled.kind)
    .map(({ name }) => lookup.find(reconciled, "name", `${object.metadata.namespace ?? ""}/${name}`));
  return (await Promise.all(found)).flat();
};

/**
 * A Node of a workload cluster → the pools and Machines of that Cluster that have its provider ID or name it in a
 * nodeRef. Differs: the Cluster is the one whose server has sent the event, not that of the Node's annotations, which
 * are old after a move; and of two Machines with one provider ID both are woken, so that both learn of the conflict.
 */
export const claimantsOfNode: ToKeys = async ({ object, cluster }, reconciled, lookup) => {
  const providerID = valueAt(object, "spec.providerID");
  const [listed, named] = await Promise.all([
    typeof providerID === "string" && providerID !== ""
      ? lookup.find(reconciled, "providerID", `${cluster}|${providerID}`)
      : ([] as readonly Member[]),
    lookup.find(reconciled, "nodeRef", `${cluster}|${object.metadata.name}`),
  ]);
  return [...listed, ...named];
};
