import { tooLarge } from "../errors/status-error.ts";
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  setMember,
} from "../objects/json.ts";
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

/**
 * Characters of JSON that defaults may add to one object. It is more than an object may have, and keeps a long
 * list whose members each get a large default from filling the memory.
 */
const MAX_DEFAULTED_CHARACTERS = 4 * 1024 * 1024;

/**
 * The object as it is decoded and read: a null where the schema allows none is dropped when there is no default (list
 * members excepted, validation refuses those), then defaults are filled in.
 * Returns the object itself when nothing changes. Throws StatusError 500 when defaults add more than 4 MiB.
 */
export function applyDefaults(schema: Schema, object: Json): Json {
  return fill({ dropNulls: true, characters: 0 }, schema, object);
}

/** Only fills in defaults, as after an apply: a null without default stays and fails validation. */
export function fillDefaults(schema: Schema, object: Json): Json {
  return fill({ dropNulls: false, characters: 0 }, schema, object);
}

interface Filling {
  readonly dropNulls: boolean;
  /** Size that defaults have added so far. */
  characters: number;
}

function fill(filling: Filling, schema: Schema, value: Json): Json {
  if (isJsonArray(value)) return schema.items === undefined ? value : fillItems(filling, schema.items, value);
  return isJsonObject(value) ? fillMembers(filling, schema, value) : value;
}

function refusesNull(schema: Schema): boolean {
  return schema.nullable !== true;
}

function fillItems(filling: Filling, schema: Schema, items: readonly Json[]): Json {
  let copy: Json[] | undefined;
  for (const [index, item] of items.entries()) {
    const { default: fallback } = schema;
    const isReplaced = item === null && refusesNull(schema) && fallback !== undefined;
    const filled = isReplaced ? insert(filling, schema, fallback) : fill(filling, schema, item);
    if (filled === item) continue;
    copy ??= [...items];
    copy[index] = filled;
  }
  return copy ?? items;
}

function fillMembers(filling: Filling, schema: Schema, object: JsonObject): Json {
  let copy: Record<string, Json> | undefined;
  for (const name of Object.keys(object)) {
    const below = memberSchema(schema, name);
    if (below === undefined) continue;
    const item = object[name] as Json;
    const filled = fillMember(filling, below, item);
    if (filled === item) continue;
    copy ??= { ...object };
    if (filled === undefined) delete copy[name];
    else setMember(copy, name, filled);
  }
  for (const [name, fallback] of defaultsOf(schema)) {
    if (Object.hasOwn(object, name)) continue;
    copy ??= { ...object };
    setMember(copy, name, insert(filling, memberOf(schema.properties ?? {}, name) ?? {}, fallback));
  }
  return copy ?? object;
}

function fillMember(filling: Filling, schema: Schema, item: Json): Json | undefined {
  if (item !== null || !refusesNull(schema)) return fill(filling, schema, item);
  if (schema.default !== undefined) return insert(filling, schema, schema.default);
  // Where any type fits, nothing would refuse it.
  return filling.dropNulls || fitsAny(schema) ? undefined : item;
}

const lengths = new WeakMap<Schema, number>();

/** A default, with the defaults of what it holds. */
function insert(filling: Filling, schema: Schema, fallback: Json): Json {
  const length = lengths.get(schema) ?? JSON.stringify(fallback).length;
  lengths.set(schema, length);
  filling.characters += length;
  if (filling.characters > MAX_DEFAULTED_CHARACTERS) throw tooLarge();
  return fill(filling, schema, fallback);
}

function fitsAny(schema: Schema): boolean {
  return schema.type === undefined && schema["x-kubernetes-int-or-string"] !== true;
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
