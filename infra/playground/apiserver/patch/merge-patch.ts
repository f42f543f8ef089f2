import { isJsonObject, type Json, memberOf, setMember } from "../objects/json.ts";

/**
 * Applies a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither input is
 * changed; unchanged parts are shared with `doc`.
 */
export function applyMergePatch(doc: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, Json> = isJsonObject(doc) ? { ...doc } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else setMember(merged, name, applyMergePatch(memberOf(merged, name) ?? null, value));
  }
  return merged;
}
