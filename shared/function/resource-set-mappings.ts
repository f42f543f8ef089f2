import { ClusterResourceSet, type ClusterResourceSetBinding } from "../api/clusterresourceset.ts";
import type { Kind } from "../api/kinds.ts";
import type { Lookup, ToKeys } from "./spec.ts";

/** An object → every reconciled object of its namespace; the kind is `foundByNamespace`. */
export const inNamespace: ToKeys = ({ object }, reconciled, lookup) =>
  lookup.find(reconciled, "namespace", object.metadata.namespace ?? "");

/** A Secret or ConfigMap → the sets of its namespace that name it. */
export const setsNaming: ToKeys = async ({ object: { kind, metadata } }, _, lookup) => {
  const { namespace = "", name } = metadata;
  const found = (await setsOf(namespace, lookup)).map(async (member) => {
    const set = await lookup.get(ClusterResourceSet, member);
    return set?.spec.resources.some((each) => each.kind === kind && each.name === name) ? [member] : [];
  });
  return (await Promise.all(found)).flat();
};

/** A Secret or ConfigMap that a set names → every reconciled object of its namespace; any other → none. */
export const inNamespaceNaming: ToKeys = async (seen, reconciled, lookup) => {
  const sets = await setsNaming(seen, reconciled, lookup);
  return sets.length === 0 ? [] : inNamespace(seen, reconciled, lookup);
};

/** A binding → the sets that it has entries of. */
export const setsOfBinding: ToKeys = async ({ object }, _, lookup) => {
  const { spec, metadata } = object as ClusterResourceSetBinding;
  const names = new Set(spec?.bindings?.map(({ clusterResourceSetName }) => clusterResourceSetName));
  return (await setsOf(metadata.namespace ?? "", lookup)).filter(({ name }) => names.has(name));
};

function setsOf(namespace: string, lookup: Lookup) {
  return lookup.find(ClusterResourceSet as unknown as Kind, "namespace", namespace);
}
