import { isJsonArray, isJsonObject, type Json, memberOf } from "../objects/json.ts";
import type { Schema } from "../schema/schema.ts";
import { keyElement } from "./field-set.ts";

/**
 * Merge rules of server-side apply for a node, derived from the structural schema.
 * A node of unknown type has all three parts, and its value decides.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply#merge-strategy
 */
export interface Type {
  /** Types of a scalar here; undefined = none. */
  readonly scalar: Scalar | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export type Scalar = "string" | "numeric" | "boolean" | "any";

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

const scalarOf = (scalar: Scalar): Type => ({ scalar, list: undefined, map: undefined });

const SCALAR = scalarOf("any");
const TEXT = scalarOf("string");

const SCALARS: Readonly<Record<string, Type>> = {
  string: TEXT,
  integer: scalarOf("numeric"),
  number: scalarOf("numeric"),
  boolean: scalarOf("boolean"),
};

const ATOMIC: Type = {
  scalar: "any",
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
  scalar: "any",
  list: FREE_LIST,
  get map(): MapType {
    return FREE_MAP;
  },
};

const FREE_MAP: MapType = { atomic: false, fields: NO_FIELDS, element: FREE };

function mapOf(element: Type): Type {
  return { scalar: undefined, list: undefined, map: { atomic: false, fields: NO_FIELDS, element } };
}

function structOf(fields: readonly (readonly [string, Type])[]): Type {
  return {
    scalar: undefined,
    list: undefined,
    map: { atomic: false, fields: new Map(fields), element: undefined },
  };
}

function listOf(relationship: ListType["relationship"], element: Type, key?: string): Type {
  // An owner reference without uid is for validation to refuse.
  const keys = key === undefined ? [] : [{ name: key, default: "" }];
  return { scalar: undefined, list: { relationship, keys, element }, map: undefined };
}

const OWNER_REFERENCE: Type = {
  scalar: undefined,
  list: undefined,
  map: {
    atomic: true,
    fields: new Map([
      ...["apiVersion", "kind", "name", "uid"].map((name): [string, Type] => [name, TEXT]),
      ...["controller", "blockOwnerDeletion"].map((name): [string, Type] => [name, scalarOf("boolean")]),
    ]),
    element: undefined,
  },
};

const METADATA: Type = structOf([
  ["labels", mapOf(TEXT)],
  ["annotations", mapOf(TEXT)],
  ["finalizers", listOf("set", TEXT)],
  ["ownerReferences", listOf("map", OWNER_REFERENCE, "uid")],
  ["managedFields", listOf("atomic", FREE)],
  ...["name", "namespace", "generateName", "uid", "resourceVersion", "selfLink"].map(
    (name): [string, Type] => [name, TEXT],
  ),
  ...["creationTimestamp", "deletionTimestamp"].map((name): [string, Type] => [name, SCALAR]),
  ...["generation", "deletionGracePeriodSeconds"].map((name): [string, Type] => [name, scalarOf("numeric")]),
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
  const fields = new Map(map.fields).set("apiVersion", TEXT).set("kind", TEXT).set("metadata", METADATA);
  return { scalar: undefined, list: undefined, map: { ...map, fields } };
}

/** `isOpen` says that a parent preserves unknown fields, which holds for everything below it. */
function toType(schema: Schema, isOpen = false): Type {
  if (schema["x-kubernetes-int-or-string"] === true) return ATOMIC;
  if (schema.format === "date-time") return SCALAR;
  switch (schema.type) {
    case "object":
      return schema["x-kubernetes-embedded-resource"] === true
        ? resourceType(objectType(schema, isOpen))
        : objectType(schema, isOpen);
    case "array":
      return { scalar: undefined, list: listType(schema, isOpen), map: undefined };
    case undefined:
      return schema.properties === undefined ? FREE : objectType(schema, isOpen);
    default:
      return memberOf(SCALARS, schema.type) ?? SCALAR;
  }
}

function objectType(schema: Schema, isOpen: boolean): Type {
  const opens = isOpen || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const fields = new Map<string, Type>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fields.set(name, toType(property, opens));
  }
  const atomic = schema["x-kubernetes-map-type"] === "atomic";
  return { scalar: undefined, list: undefined, map: { atomic, fields, element: elementOf(schema, opens) } };
}

function elementOf(schema: Schema, opens: boolean): Type | undefined {
  const others = schema.additionalProperties;
  if (typeof others === "object") return toType(others, opens);
  return others === true || opens || schema.properties === undefined ? FREE : undefined;
}

function listType(schema: Schema, isOpen: boolean): ListType {
  const items = schema.items ?? {};
  const element = toType(items, isOpen);
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
  if (isJsonArray(value)) {
    if (type.list !== undefined) return "list";
  } else if (isJsonObject(value)) {
    if (type.map !== undefined) return "map";
  } else if (value !== null && type.scalar !== undefined) return "scalar";
  if (type.map !== undefined) return type.scalar !== undefined || type.list !== undefined ? "whole" : "map";
  return type.list !== undefined && type.scalar === undefined ? "list" : "scalar";
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
 * The path element that identifies a member of a keyed list or set, such as `k:{"name":"a"}` or `v:"x"`. Throws Error
 * when the member has no identity: every key is missing without default, or the value is not a scalar.
 */
export function itemElement(list: Pick<ListType, "relationship" | "keys">, item: Json): string {
  if (list.relationship === "set") {
    if (item === null || isJsonArray(item) || isJsonObject(item)) throw new Error("a set holds scalars only");
    return `v:${JSON.stringify(item)}`;
  }
  if (!isJsonObject(item)) throw new Error("associative list with keys may not have non-map elements");
  const found = list.keys.flatMap((key): [string, Json][] => {
    const value = Object.hasOwn(item, key.name) ? item[key.name] : key.default;
    return value === undefined ? [] : [[key.name, value]];
  });
  if (found.length === 0) {
    const names = list.keys.map(({ name }) => JSON.stringify(name)).join(" ");
    throw new Error(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(found);
}
