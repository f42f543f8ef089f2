import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { type DescendantTraits, TRAITS, traitsOf } from "../../../shared/api/traits.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { isOwnedByName } from "./adoption.ts";

/** The fields of a descendant that say whose it is. */
export const DESCENDANT_FIELDS = ["metadata.uid", ...ADOPTED_FIELDS] as const;

/** A kind of descendants of a Cluster. Its place in `DESCENDANTS` is its place in messages. */
export interface DescendantKind extends DescendantTraits {
  readonly kind: Kind<Workers>;
  /** The objects that count; absent where they are not workers. */
  readonly counted?: "all" | "owned" | undefined;
}

/** Every kind that lives in a Cluster. */
export const DESCENDANTS: readonly DescendantKind[] = TRAITS.flatMap(
  ({ kind, descendant, workers }): readonly DescendantKind[] => {
    if (descendant === undefined) return [];
    return [{ ...descendant, kind: kind as unknown as Kind<Workers>, counted: workers?.counted }];
  },
).toSorted((a, b) => a.place - b.place);

/** The same in the order in which they are deleted. */
export const IN_DELETE_ORDER = DESCENDANTS.toSorted((a, b) => a.deleteOrder - b.deleteOrder);

/** The kinds of workers, with the fields that say of each whether it counts. */
export const WORKER_KINDS = IN_DELETE_ORDER.flatMap(({ kind }) => {
  const { workers } = traitsOf(kind);
  return workers === undefined ? [] : [{ kind, countedBy: workers.countedBy }];
});

/** The descendants of one kind, as they were read. */
export interface Descendants {
  readonly of: DescendantKind;
  readonly objects: readonly Workers[];
}

/** Returns MachinePools, MachineDeployments and the MachineSets that count for themselves; see also machines.ts. */
export function countedWorkers(cluster: Cluster, descendants: readonly Descendants[]): readonly Workers[] {
  return descendants.flatMap(({ of, objects }) => {
    if (of.counted === undefined) return [];
    return of.counted === "all" ? objects : objects.filter((object) => isOwnedByName(object, cluster));
  });
}
