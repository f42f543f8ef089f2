import type { Json, KubeJson } from "../objects/json.ts";
import type { FieldManager, FieldManagers } from "./field-managers.ts";
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import type { Type } from "./typed.ts";
import { remove } from "./typed-merge.ts";
import { setOf, withStructs } from "./typed-set.ts";
import type { Views } from "./views.ts";

interface Merged {
  readonly merged: KubeJson;
  /** The sets with the manager's new set in place of its last one. */
  readonly managers: FieldManagers;
  readonly last: FieldManager;
  readonly views: Views;
}

/**
 * Removes the fields that the manager owned and no longer lists, unless another manager owns them or they were never
 * the manager's. Everything of the last set is taken out in the version of that set, then owned fields are put back,
 * then those that never had an owner. Throws NoView when the object cannot be shown in the version of an owner.
 */
export async function dropAbandoned({ merged, managers, last, views }: Merged): Promise<KubeJson> {
  if (isEmptySet(last.set)) return merged;
  const { type, object } = await views.of(merged, last.apiVersion);
  const lastSet = withStructs(last.set, type);
  let kept = remove(type, object, lastSet) as KubeJson;
  for (const [apiVersion, owned] of ownedByVersion(managers, last.apiVersion)) {
    const whole = await views.of(object, apiVersion);
    const bare = await views.of(kept, apiVersion);
    const isKept = union(members(whole.type, bare.object), withStructs(owned, whole.type));
    const unowned = difference(members(whole.type, whole.object), isKept);
    kept = remove(whole.type, whole.object, unowned) as KubeJson;
  }
  const remaining = await views.of(kept, last.apiVersion);
  const gone = difference(members(type, object), members(type, remaining.object));
  const result = remove(type, object, intersection(gone, lastSet)) as KubeJson;
  return (await views.of(result, merged.apiVersion)).object;
}

/** `first` comes first: without what is owned there, the object may not be fit to be converted. */
function ownedByVersion(managers: FieldManagers, first: string): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>([[first, EMPTY_SET]]);
  for (const { apiVersion, set } of managers.values()) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY_SET, set));
  }
  return owned;
}

function members(type: Type, object: Json): FieldSet {
  return withStructs(setOf(type, object), type);
}
