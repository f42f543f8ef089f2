import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import {
  ClusterResourceSet,
  ClusterResourceSetBinding,
  type ResourceBinding,
  type SetBinding,
} from "../../../shared/api/clusterresourceset.ts";
import { apiVersionOf, MANAGEMENT, refTo } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { Decision } from "../../../shared/function/define-function.ts";
import { ownerReference, sameOwner } from "../../../shared/rules/metadata/owner-references.ts";
import {
  NOT_APPLIED_FIELDS,
  type NotAppliedSets,
  notAppliedAnnotations,
  notAppliedPatch,
} from "./not-applied.ts";

/** The fields of a binding that its functions write. */
export const BINDING_FIELDS = ["spec", "metadata.ownerReferences", ...NOT_APPLIED_FIELDS] as const;

/** Returns the entries of the resources of a set. */
export function resourcesIn(
  binding: ClusterResourceSetBinding | undefined,
  { metadata }: ClusterResourceSet,
): readonly ResourceBinding[] {
  const entry = binding?.spec?.bindings?.find((each) => each.clusterResourceSetName === metadata.name);
  return entry?.resources ?? [];
}

/** Returns the entry of one resource. */
export function entryOf(
  entries: readonly ResourceBinding[],
  { kind, name }: Pick<ResourceBinding, "kind" | "name">,
): ResourceBinding | undefined {
  return entries.find((entry) => entry.kind === kind && entry.name === name);
}

/** The record of one Cluster, as its binding must say it. */
export interface Booked {
  readonly cluster: Cluster;
  readonly binding: ClusterResourceSetBinding | undefined;
  /** The entries of each set that selects the Cluster. */
  readonly entries: ReadonlyMap<ClusterResourceSet, readonly ResourceBinding[]>;
  readonly notApplied: NotAppliedSets;
}

/** Returns the one write about the binding of a Cluster: it is created or patched; nothing when it says all already. */
export function bindingWrite({
  cluster,
  binding,
  entries,
  notApplied,
}: Booked): Pick<Decision<Cluster, never>, "create" | "patch"> {
  const { namespace = "", name } = cluster.metadata;
  const owners = [...entries.keys()].map((set) => ownerReference(ClusterResourceSet, set));
  if (binding === undefined) {
    const object: ClusterResourceSetBinding = {
      apiVersion: apiVersionOf(ClusterResourceSetBinding),
      kind: ClusterResourceSetBinding.kind,
      metadata: { namespace, name, ownerReferences: owners, annotations: notAppliedAnnotations(notApplied) },
      spec: { clusterName: name, bindings: merged([], entries) },
    };
    return { create: [{ cluster: MANAGEMENT, kind: ClusterResourceSetBinding, object }] };
  }
  const stored = binding.metadata.ownerReferences ?? [];
  const kept = stored.filter((owner) =>
    owners.every((own) => !sameOwner(owner, own) || sameJson(owner, own)),
  );
  const added = owners.filter((own) => !stored.some((owner) => sameJson(owner, own)));
  const isOwned = added.length === 0 && kept.length === stored.length;
  const bindings = merged(binding.spec?.bindings ?? [], entries);
  const operations = [
    ...(isOwned
      ? []
      : [{ op: "add", path: "/metadata/ownerReferences", value: [...kept, ...added] } as const]),
    ...notAppliedPatch(binding, notApplied),
    ...specPatch(binding, name, bindings),
  ];
  return operations.length === 0
    ? {}
    : { patch: [{ target: refTo(ClusterResourceSetBinding, binding), operations }] };
}

function specPatch({ spec }: ClusterResourceSetBinding, name: string, bindings: readonly SetBinding[]) {
  const wanted = { ...spec, clusterName: spec?.clusterName ?? name, bindings };
  return sameJson(spec, wanted) ? [] : [{ op: "add", path: "/spec", value: wanted } as const];
}

/** The entries of other sets stay, also of those that select the Cluster no longer. */
function merged(before: readonly SetBinding[], entries: Booked["entries"]): readonly SetBinding[] {
  const known = new Map(before.map((entry) => [entry.clusterResourceSetName, entry]));
  for (const [{ metadata }, resources] of entries) {
    const named = { clusterResourceSetName: metadata.name };
    known.set(metadata.name, resources.length === 0 ? named : { ...named, resources });
  }
  return [...known.values()];
}
