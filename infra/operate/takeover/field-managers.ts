import type { KubeObject } from "../../../shared/api/kinds.ts";
import { managedFieldsOf } from "../../../shared/runtime/write/field-managers.ts";

/** Returns the field managers of an object that was read live, each once. */
export function fieldManagersOf(object: KubeObject): readonly string[] {
  return [...new Set(managedFieldsOf(object).flatMap(({ manager }) => manager ?? []))];
}

/** Returns `<uid> <manager> <time>` of each entry of these managers. */
export function writesOf(object: KubeObject, managers: ReadonlySet<string>): readonly string[] {
  return managedFieldsOf(object)
    .filter(({ manager = "" }) => managers.has(manager))
    .map(({ manager, time }) => `${object.metadata.uid} ${manager} ${time}`);
}
