import { WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Change, RoutedKey } from "../../../shared/runtime/queue/route.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";

type Routed = readonly RoutedKey[];

/**
 * Which objects are reconciled. Everything is watched and stored, since a filtered object may depend on any other;
 * only objects with the label get keys, and only such Clusters are connected to.
 * Source: Cluster API v1.14.0, util/predicates/generic_predicates.go (ResourceHasFilterLabel)
 */
export interface WatchFilter {
  isConcerned(object: KubeObject): boolean;
  /** The keys of objects that are reconciled; objects that are not stored are left in. */
  concerned(keys: Routed): Promise<Routed>;
  /** An object that gets the label appears. */
  seen(change: Pick<Change, "before" | "after">): Pick<Change, "before" | "after">;
}

export const EVERYTHING: WatchFilter = {
  isConcerned: () => true,
  concerned: async (keys) => keys,
  seen: (change) => change,
};

/** Returns a filter of the objects whose label has this value; without a value, all objects pass. */
export function createWatchFilter(
  value: string | undefined,
  functions: readonly AnyFunction[],
  store: Store,
): WatchFilter {
  if (value === undefined) return EVERYTHING;
  const isConcerned = (object: KubeObject) => object.metadata.labels?.[WATCH_FILTER_LABEL] === value;
  const typeOf = new Map(
    functions.map(({ spec: { name, reconciles } }) => [name, managementType(reconciles)]),
  );
  return {
    isConcerned,
    async concerned(keys) {
      const kept = await Promise.all(
        keys.map(async (key) => {
          const type = typeOf.get(key.functionName);
          const object = type === undefined ? undefined : await store.get(type, key);
          return object === undefined || isConcerned(object);
        }),
      );
      return keys.filter((_key, at) => kept[at]);
    },
    seen({ before, after }) {
      const appears =
        before !== undefined && after !== undefined && !isConcerned(before) && isConcerned(after);
      return appears ? { after } : { before, after };
    },
  };
}
