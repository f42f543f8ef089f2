import { isJsonArray, isJsonObject, type Json, type JsonObject, type Schema } from "./schema.ts";

/**
 * The object as it is decoded and read: a null where the schema allows none is dropped when there is no default
 * (list members excepted, validation refuses those), then defaults are filled in.
 * Returns the object itself when nothing changes.
 */
export function applyDefaults(schema: Schema, object: Json): Json {
  return fill(schema, object, true);
}

/** Only fills in defaults, as after an apply: a null without default stays and fails validation. */
export function fillDefaults(schema: Schema, object: Json): Json {
  return fill(schema, object, false);
}

function fill(schema: Schema, value: Json, dropNulls: boolean): Json {
  if (isJsonArray(value))
    return schema.items === undefined ? value : fillItems(schema.items, value, dropNulls);
  return isJsonObject(value) ? fillMembers(schema, value, dropNulls) : value;
}

function refusesNull(schema: Schema): boolean {
  return schema.nullable !== true;
}

function fillItems(schema: Schema, items: readonly Json[], dropNulls: boolean): Json {
  let copy: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const { default: fallback } = schema;
    const isReplaced = item === null && refusesNull(schema) && fallback !== undefined;
    const filled = fill(schema, isReplaced ? fallback : item, dropNulls);
    if (filled === item) continue;
    copy ??= [...items];
    copy[index] = filled;
  }
  return copy ?? items;
}

function fillMembers(schema: Schema, object: JsonObject, dropNulls: boolean): Json {
  let copy: Record<string, Json> | undefined;
  for (const name of Object.keys(object)) {
    const below = memberSchema(schema, name);
    if (below === undefined) continue;
    const item = object[name] as Json;
    const filled = fillMember(below, item, dropNulls);
    if (filled === item) continue;
    copy ??= { ...object };
    if (filled === undefined) delete copy[name];
    else copy[name] = filled;
  }
  for (const [name, fallback] of defaultsOf(schema)) {
    if (Object.hasOwn(object, name)) continue;
    copy ??= { ...object };
    copy[name] = fill(schema.properties?.[name] ?? {}, fallback, dropNulls);
  }
  return copy ?? object;
}

function fillMember(schema: Schema, item: Json, dropNulls: boolean): Json | undefined {
  if (item !== null || !refusesNull(schema)) return fill(schema, item, dropNulls);
  if (schema.default !== undefined) return fill(schema, schema.default, dropNulls);
  // Where any type fits, nothing would refuse it.
  return dropNulls || fitsAny(schema) ? undefined : item;
}

function fitsAny(schema: Schema): boolean {
  return schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true;
}

function memberSchema(schema: Schema, name: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

const defaultsBySchema = new WeakMap<Schema, readonly (readonly [string, Json])[]>();

/** The properties of a node that have a default. */
function defaultsOf(schema: Schema): readonly (readonly [string, Json])[] {
  const known = defaultsBySchema.get(schema);
  if (known !== undefined) return known;
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    property.default === undefined ? [] : [[name, property.default] as const],
  );
  defaultsBySchema.set(schema, found);
  return found;
}
