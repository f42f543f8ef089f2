import { keyElement } from "./field-set.ts";
import { isJsonObject, type Json, type JsonObject, type Schema } from "./schema.ts";

/**
 * What server-side apply knows about a node: how it merges, derived from the structural schema.
 * A node of unknown type has all three parts, and its value decides.
 * Source: spec/embedded-apiserver.md section 6, "Types for apply"
 */
export interface Type {
  readonly scalar: boolean;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export interface ListType {
  readonly relationship: "atomic" | "set" | "map";
  /** Names of the key members of a `map` list with the defaults of the schema. */
  readonly keys: readonly { readonly name: string; readonly default: Json | undefined }[];
  readonly element: Type;
}

export interface MapType {
  readonly atomic: boolean;
  /** Declared fields: merged per field, not members of a set themselves. */
  readonly fields: ReadonlyMap<string, Type>;
  /** Type of undeclared keys; undefined = no others allowed. */
  readonly element: Type | undefined;
}

const NO_FIELDS: ReadonlyMap<string, Type> = new Map();

const SCALAR: Type = { scalar: true, list: undefined, map: undefined };

const ATOMIC: Type = {
  scalar: true,
  get list(): ListType {
    return { relationship: "atomic", keys: [], element: ATOMIC };
  },
  get map(): MapType {
    return { atomic: true, fields: NO_FIELDS, element: ATOMIC };
  },
};

const FREE_LIST: ListType = { relationship: "atomic", keys: [], element: ATOMIC };

/** Free-form content: scalars are leaves, objects maps, arrays atomic. */
const FREE: Type = {
  scalar: true,
  list: FREE_LIST,
  get map(): MapType {
    return FREE_MAP;
  },
};

const FREE_MAP: MapType = { atomic: false, fields: NO_FIELDS, element: FREE };

function mapOf(element: Type): Type {
  return { scalar: false, list: undefined, map: { atomic: false, fields: NO_FIELDS, element } };
}

function structOf(fields: readonly (readonly [string, Type])[]): Type {
  return {
    scalar: false,
    list: undefined,
    map: { atomic: false, fields: new Map(fields), element: undefined },
  };
}

function listOf(relationship: ListType["relationship"], element: Type, key?: string): Type {
  const keys = key === undefined ? [] : [{ name: key, default: undefined }];
  return { scalar: false, list: { relationship, keys, element }, map: undefined };
}

const ATOMIC_MAP: Type = {
  scalar: false,
  list: undefined,
  map: { atomic: true, fields: NO_FIELDS, element: FREE },
};

const METADATA: Type = structOf([
  ["labels", mapOf(SCALAR)],
  ["annotations", mapOf(SCALAR)],
  ["finalizers", listOf("set", SCALAR)],
  ["ownerReferences", listOf("map", ATOMIC_MAP, "uid")],
  ["managedFields", listOf("atomic", FREE)],
  ...[
    "name",
    "namespace",
    "generateName",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
  ].map((name): [string, Type] => [name, SCALAR]),
]);

const rootTypes = new WeakMap<Schema, Type>();

/** The type of whole objects of a root schema; apiVersion, kind and metadata are built in. */
export function rootTypeOf(schema: Schema): Type {
  const known = rootTypes.get(schema);
  if (known !== undefined) return known;
  const type = resourceType(toType(schema));
  rootTypes.set(schema, type);
  return type;
}

function resourceType(type: Type): Type {
  const map = type.map ?? FREE_MAP;
  const fields = new Map(map.fields).set("apiVersion", SCALAR).set("kind", SCALAR).set("metadata", METADATA);
  return { scalar: false, list: undefined, map: { ...map, fields } };
}

function toType(schema: Schema): Type {
  if (schema["x-kubernetes-int-or-string"] === true) return SCALAR;
  switch (schema.type) {
    case "object":
      return schema["x-kubernetes-embedded-resource"] === true
        ? resourceType(objectType(schema))
        : objectType(schema);
    case "array":
      return { scalar: false, list: listType(schema), map: undefined };
    case undefined:
      return schema.properties === undefined ? FREE : objectType(schema);
    default:
      return SCALAR;
  }
}

function objectType(schema: Schema): Type {
  const fields = new Map<string, Type>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) fields.set(name, toType(property));
  const atomic = schema["x-kubernetes-map-type"] === "atomic";
  return { scalar: false, list: undefined, map: { atomic, fields, element: elementOf(schema) } };
}

function elementOf(schema: Schema): Type | undefined {
  const others = schema.additionalProperties;
  if (typeof others === "object") return toType(others);
  if (others === true || schema["x-kubernetes-preserve-unknown-fields"] === true) return FREE;
  return schema.properties === undefined ? FREE : undefined;
}

function listType(schema: Schema): ListType {
  const items = schema.items ?? {};
  const element = toType(items);
  const kind = schema["x-kubernetes-list-type"];
  if (kind === "set") return { relationship: "set", keys: [], element };
  if (kind !== "map") return { relationship: "atomic", keys: [], element };
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((name) => ({
    name,
    default: items.properties?.[name]?.default,
  }));
  return { relationship: "map", keys, element };
}

/** How a value is walked: by the part of the type that fits it. `whole` = the type is open and no part fits (null). */
export type Shape = "scalar" | "list" | "map" | "whole";

export function shapeOf(type: Type, value: Json): Shape {
  if (value !== null && typeof value !== "object") {
    if (type.scalar) return "scalar";
  } else if (Array.isArray(value)) {
    if (type.list !== undefined) return "list";
  } else if (value !== null && type.map !== undefined) return "map";
  if (type.map !== undefined) return type.scalar || type.list !== undefined ? "whole" : "map";
  return type.list !== undefined && !type.scalar ? "list" : "scalar";
}

/** The map part of a type when a value of this shape is walked as one. */
export function mapPart(type: Type, shape: Shape): MapType | undefined {
  return shape === "map" || shape === "whole" ? type.map : undefined;
}

export function listPart(type: Type, shape: Shape): ListType | undefined {
  return shape === "list" ? type.list : undefined;
}

/** Undeclared fields of stored objects (an older schema) are free-form. */
export function fieldTypeOf(map: MapType, name: string): Type {
  return map.fields.get(name) ?? map.element ?? FREE;
}

/**
 * The path element that identifies a member of a keyed list or set, such as `k:{"name":"a"}` or `v:"x"`.
 * Throws Error when the member has no identity: a key is missing without default, or the value is no scalar.
 */
export function itemElement(list: Pick<ListType, "relationship" | "keys">, item: Json): string {
  if (list.relationship === "set") {
    if (item === null || typeof item === "object") throw new Error("a set holds scalars only");
    return `v:${JSON.stringify(item)}`;
  }
  if (!isJsonObject(item)) throw new Error("associative list with keys may not have non-map elements");
  return keyElement(list.keys.map((key) => [key.name, keyValue(item, key)]));
}

function keyValue(item: JsonObject, key: ListType["keys"][number]): Json {
  const value = Object.hasOwn(item, key.name) ? item[key.name] : key.default;
  if (value === undefined) {
    throw new Error(
      `associative list with keys has an element that omits key field "${key.name}" (and doesn't have default value)`,
    );
  }
  return value;
}
