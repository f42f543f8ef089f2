import { isJsonObject, type Json, type JsonObject, memberOf, sameJson } from "./json.ts";
import { type KubeObject, listAt, omit } from "./kube-object.ts";

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
    if (!sameJson(memberOf(a, member), memberOf(b, member))) return false;
  }
  return true;
}

function entriesWithoutTime(object: KubeObject): Json[] {
  return listAt(object.metadata, "managedFields").map((entry) =>
    isJsonObject(entry) ? omit(entry, "time") : entry,
  );
}
