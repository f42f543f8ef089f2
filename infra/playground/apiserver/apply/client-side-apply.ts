import { LAST_APPLIED } from "../../../../shared/redaction/last-applied.ts";
import { isJsonObject, type JsonObject, type KubeJson } from "../objects/json.ts";
import { difference, isEmptySet, union } from "./field-set.ts";
import type { Conflict } from "./ownership.ts";
import type { Type } from "./typed.ts";
import { compare } from "./typed-compare.ts";
import { setOf } from "./typed-set.ts";

/**
 * Whether all that is in conflict was last set by client-side `kubectl apply`: it is in the annotation and has not
 * changed since. Then `kubectl apply --server-side` takes it over without force.
 */
export function ownedByClientSideApply(type: Type, live: KubeJson, conflicts: readonly Conflict[]): boolean {
  const annotations = live.metadata["annotations"];
  const applied = isJsonObject(annotations) ? annotations[LAST_APPLIED] : undefined;
  if (typeof applied !== "string") return false;
  try {
    const object = JSON.parse(applied) as JsonObject;
    const cmp = compare(type, object, live);
    const changed = union(union(cmp.modified, cmp.added), cmp.removed);
    const allowed = difference(setOf(type, object), changed);
    return conflicts.every((conflict) => isEmptySet(difference(conflict.set, allowed)));
  } catch {
    return false;
  }
}
