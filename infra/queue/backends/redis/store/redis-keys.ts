import type { ObjectKey } from "../../../../../shared/api/kinds.ts";
import type { TypeKey } from "../../../../../shared/runtime/ports.ts";
import { isCluster, type RedisConnection } from "../server/shards.ts";

/**
 * Returns the keys of a type. Percent-encoding leaves neither braces nor colons, so no name can leave its place. Those of
 * one server lie in one slot, so that one call looks at several types; over several shards each type has a slot.
 */
export function keysOf({ cluster, group, kind }: TypeKey, connection: RedisConnection) {
  const names = [cluster, group, kind].map((text) => encodeURIComponent(text.toWellFormed()));
  const prefix = isCluster(connection)
    ? `{cap:store:${names.join(":")}}`
    : `{cap:store:${names[0]}}:${names.slice(1).join(":")}`;
  return {
    objects: `${prefix}:objects`,
    heads: `${prefix}:heads`,
    index: `${prefix}:index`,
    meta: `${prefix}:meta`,
    notes: `${prefix}:notes`,
    befores: `${prefix}:befores`,
  };
}

/** The key of the signs of all watches on the management server: hash, type → ms since 1970 of its last sign. */
export const SIGNS = "{cap:store:management}:signs";

/** Returns JSON, because names may be any text: it escapes every separator and every control character. */
export function fieldOf({ namespace, name }: ObjectKey): string {
  return JSON.stringify([namespace, name]);
}

/** Returns how the members of an index value begin. */
export function indexText(index: string, value: string): string {
  return JSON.stringify([index, value]);
}

export function keyOfField(field: string): ObjectKey {
  const [namespace, name]: readonly [string, string] = JSON.parse(field);
  return { namespace, name };
}
