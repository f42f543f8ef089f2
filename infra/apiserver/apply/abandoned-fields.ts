import type { Json, KubeJson } from "../schema/schema.ts";
import type { FieldManagers } from "./field-managers.ts";
import { difference, EMPTY_SET, type FieldSet, intersection, isEmptySet, union } from "./field-set.ts";
import type { Type } from "./typed.ts";
import { remove } from "./typed-merge.ts";
import { setOf, withStructs } from "./typed-set.ts";

interface Merged {
  readonly type: Type;
  readonly merged: KubeJson;
  /** With the manager's new set in place of its last one. */
  readonly managers: FieldManagers;
  readonly last: FieldSet;
}

/**
 * What the manager owned and no longer lists goes, unless somebody else owns it or it was never the manager's.
 * Everything of the last set is taken out, then what has an owner is put back, then what was nobody's.
 */
export function dropAbandoned({ type, merged, managers, last }: Merged): KubeJson {
  if (isEmptySet(last)) return merged;
  const mergedSet = withStructs(setOf(type, merged), type);
  const lastSet = withStructs(last, type);
  const keep = (object: Json): FieldSet => withStructs(setOf(type, object), type);
  const bare = keep(remove(type, merged, lastSet));
  const owned = [...managers.values()].reduce((sum, owner) => union(sum, owner.set), EMPTY_SET);
  const unowned = difference(mergedSet, union(bare, withStructs(owned, type)));
  const kept = keep(remove(type, merged, unowned));
  const gone = intersection(difference(mergedSet, kept), lastSet);
  return remove(type, merged, gone) as KubeJson;
}
