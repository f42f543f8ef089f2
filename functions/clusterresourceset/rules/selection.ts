import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { ClusterResourceSet } from "../../../shared/api/clusterresourceset.ts";
import { hasFinalizer, isDeleting, isPaused, type Reader } from "../../../shared/function/define-function.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { parseSelector } from "../../../shared/rules/metadata/label-selector.ts";
import { RESOURCE_SET_FINALIZER } from "./guard.ts";

/** The fields of a set that decide which Clusters it is for, and with what. */
export const SET_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  "metadata.finalizers",
  "spec.clusterSelector",
  "spec.resources",
  "spec.strategy",
] as const;

/** The fields of a Cluster by which a set selects it, beside the beginning of its deletion. */
export const SELECTED_FIELDS = ["metadata.uid", "metadata.labels"] as const;

/** Returns a test of the Clusters that a set selects: none by a selector that is empty or cannot be read. */
export function selectionOf({ spec }: ClusterResourceSet): (cluster: Cluster) => boolean {
  const selector = parseSelector(spec.clusterSelector);
  if ("problem" in selector || selector.isEmpty) return () => false;
  return (cluster) => !isDeleting(cluster) && selector.matches(cluster.metadata.labels);
}

/** Returns the sets that must be brought into a Cluster, by name. */
export async function readSetsFor(
  read: Pick<Reader, "list">,
  cluster: Cluster,
): Promise<readonly ClusterResourceSet[]> {
  const index = { name: "namespace", values: [cluster.metadata.namespace ?? ""] };
  const sets = await read.list(ClusterResourceSet, { index });
  return sets
    .filter((set) => !isDeleting(set) && hasFinalizer(set, RESOURCE_SET_FINALIZER))
    .filter((set) => set.metadata.isElsewhere !== true && !isPaused(undefined, set))
    .filter((set) => selectionOf(set)(cluster))
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}
