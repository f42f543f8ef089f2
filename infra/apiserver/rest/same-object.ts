import { isJsonObject, type Json, type JsonObject } from "../schema/schema.ts";
import { type KubeObject, listAt, omit } from "../storage/kube-object.ts";

/** Deep equality of JSON values; the order of members does not matter. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b);
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const members = Object.keys(a);
  if (members.length !== Object.keys(b).length) return false;
  return members.every((member) => member in b && sameJson(a[member], b[member]));
}

function sameList(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
}

/** Whether storing `next` over `live` would change nothing but times in managedFields. */
export function sameObject(live: KubeObject, next: KubeObject): boolean {
  if (!sameJson(omit(live.metadata, "managedFields"), omit(next.metadata, "managedFields"))) return false;
  if (!sameJson(entriesWithoutTime(live), entriesWithoutTime(next))) return false;
  return sameContent(live, next, []);
}

/** Whether everything outside metadata and `ignored` members is equal. */
export function sameContent(a: JsonObject, b: JsonObject, ignored: readonly string[]): boolean {
  for (const member of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (member === "metadata" || member === "apiVersion" || ignored.includes(member)) continue;
    if (!sameJson(a[member], b[member])) return false;
  }
  return true;
}

function entriesWithoutTime(object: KubeObject): Json[] {
  return listAt(object.metadata, "managedFields").map((entry) =>
    isJsonObject(entry) ? omit(entry, "time") : entry,
  );
}
