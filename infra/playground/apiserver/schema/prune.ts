import { isJsonArray, isJsonObject, type Json, type JsonObject, setMember } from "../objects/json.ts";
import { memberSchema, type Schema } from "./schema.ts";

export interface Pruned {
  readonly value: Json;
  /** Paths such as `spec.bogus` or `spec.items[0].bogus`. */
  readonly unknown: string[];
}

/** The members every object has, declared or not; metadata is typed by the server itself. */
const TYPE_AND_METADATA: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Free-form content: everything is kept. */
const FREE: Schema = { "x-kubernetes-preserve-unknown-fields": true };

/** Content of unknown type where nothing is declared: a scalar stays, an object loses all members. */
const UNDECLARED: Schema = {};

/**
 * Drops members the schema does not declare. `x-kubernetes-preserve-unknown-fields` keeps what is below it,
 * embedded resources keep apiVersion, kind and metadata, and so does the root.
 * Returns the object itself when nothing is unknown.
 */
export function prune(schema: Schema, object: Json, { isResource = true } = {}): Pruned {
  const unknown: string[] = [];
  const value = pruneNode({ unknown, schema, isResource }, object, "");
  return { value, unknown };
}

interface Place {
  readonly unknown: string[];
  readonly schema: Schema;
  /** A whole object: the root or an embedded resource. */
  readonly isResource: boolean;
}

function at(place: Place, schema: Schema): Place {
  return { unknown: place.unknown, schema, isResource: schema["x-kubernetes-embedded-resource"] === true };
}

function pruneNode(place: Place, value: Json, path: string): Json {
  if (isJsonArray(value)) return pruneItems(place, value, path);
  return isJsonObject(value) ? pruneMembers(place, value, path) : value;
}

function pruneItems(place: Place, items: readonly Json[], path: string): Json {
  const isFree = place.schema["x-kubernetes-preserve-unknown-fields"] === true;
  const below = at(place, place.schema.items ?? (isFree ? FREE : UNDECLARED));
  let copy: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    if (typeof item !== "object") continue;
    const kept = pruneNode(below, item, `${path}[${index}]`);
    if (kept === item) continue;
    copy ??= [...items];
    copy[index] = kept;
  }
  return copy ?? items;
}

function pruneMembers(place: Place, object: JsonObject, path: string): Json {
  let copy: Record<string, Json> | undefined;
  for (const name of Object.keys(object)) {
    const item = object[name] as Json;
    const below = declared(place, name);
    const child = path === "" ? name : `${path}.${name}`;
    if (below === undefined) {
      place.unknown.push(child);
      copy ??= { ...object };
      delete copy[name];
    } else if (typeof item === "object") {
      const kept = pruneNode(at(place, below), item, child);
      if (kept === item) continue;
      copy ??= { ...object };
      setMember(copy, name, kept);
    }
  }
  return copy ?? object;
}

/** The schema of a member; undefined = unknown. */
function declared({ schema, isResource }: Place, name: string): Schema | undefined {
  if (isResource && TYPE_AND_METADATA.has(name)) return FREE;
  const isFree =
    schema.additionalProperties === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return memberSchema(schema, name) ?? (isFree ? FREE : undefined);
}
