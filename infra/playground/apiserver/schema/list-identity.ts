import { canonicalJson } from "../objects/canonical.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";

/** The members of a keyed list by their identity, the first of several; empty for lists without keys. */
export function itemsByIdentity(list: Json | undefined, keys: readonly string[]): ReadonlyMap<string, Json> {
  const found = new Map<string, Json>();
  if (keys.length === 0 || !isJsonArray(list)) return found;
  for (const item of list) {
    const identity = identityOf(item, keys);
    if (identity !== undefined && !found.has(identity)) found.set(identity, item);
  }
  return found;
}

/** Returns the identity of a member of a keyed list; undefined without any of the keys. */
export function identityOf(item: Json, keys: readonly string[]): string | undefined {
  const members = keysOf(item, keys);
  return members && canonicalJson(members);
}

/** The key members that an item has; undefined without any. */
export function keysOf(item: Json, keys: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(item)) return undefined;
  const found = keys
    .filter((key) => Object.hasOwn(item, key))
    .map((key) => [key, item[key] as Json] as const);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
