import type { Cause } from "../errors/status-error.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
} from "../objects/json.ts";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Returns why a schema is not structural: a node without type, list keys that may be missing, and the like. */
export function structuralCauses(schema: JsonObject, field: string): Cause[] {
  return [
    ...ownCauses(schema, field),
    ...children(schema, field).flatMap(([child, path]) => structuralCauses(child, path)),
  ];
}

function ownCauses(schema: JsonObject, field: string): Cause[] {
  const isTyped = typeof schema["type"] === "string" && schema["type"] !== "";
  const isAnything =
    schema["x-kubernetes-int-or-string"] === true || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const causes: Cause[] = [];
  if (!isTyped && !isAnything) {
    const message = "Required value: must not be empty for specified object fields";
    causes.push({ reason: "FieldValueRequired", message, field: `${field}.type` });
  }
  if (isTyped && !TYPES.includes(String(schema["type"]))) {
    const message = `Unsupported value: ${JSON.stringify(schema["type"])}: supported values: ${TYPES.map((type) => `"${type}"`).join(", ")}`;
    causes.push({ reason: "FieldValueNotSupported", message, field: `${field}.type` });
  }
  if (schema["x-kubernetes-list-type"] === "map") causes.push(...listKeyCauses(schema, field));
  return [...causes, ...forbiddenCauses(schema, field)];
}

function forbiddenCauses(schema: JsonObject, field: string): Cause[] {
  const { properties, additionalProperties, uniqueItems } = schema;
  const forbid = (member: string, why: string): Cause => ({
    reason: "FieldValueForbidden",
    message: `Forbidden: ${why}`,
    field: `${field}.${member}`,
  });
  const isStruct = isJsonObject(properties) && Object.keys(properties).length > 0;
  const isMap = isJsonObject(additionalProperties) || additionalProperties === false;
  return [
    ...(isStruct && isMap
      ? [forbid("additionalProperties", "additionalProperties and properties are mutual exclusive")]
      : []),
    ...(uniqueItems === true
      ? [
          forbid(
            "uniqueItems",
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
          ),
        ]
      : []),
  ];
}

function listKeyCauses(schema: JsonObject, field: string): Cause[] {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (!Array.isArray(keys) || keys.length === 0) {
    const message = "Required value: must not be empty if x-kubernetes-list-type is map";
    return [{ reason: "FieldValueRequired", message, field: `${field}.x-kubernetes-list-map-keys` }];
  }
  const items = isJsonObject(schema["items"]) ? schema["items"] : {};
  const properties = isJsonObject(items["properties"]) ? items["properties"] : {};
  const required: readonly Json[] = Array.isArray(items["required"]) ? items["required"] : [];
  return keys.map(String).flatMap((key): Cause[] => {
    const property = memberOf(properties, key);
    if (required.includes(key) || (isJsonObject(property) && property["default"] !== undefined)) return [];
    const message = `Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`;
    return [{ reason: "FieldValueRequired", message, field: `${field}.items.properties[${key}].default` }];
  });
}

function children(schema: JsonObject, field: string): (readonly [JsonObject, string])[] {
  const properties = isJsonObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const found: (readonly [Json | undefined, string])[] = [
    ...properties.map(([name, child]) => [child, `${field}.properties[${name}]`] as const),
    [schema["items"], `${field}.items`],
    [schema["additionalProperties"], `${field}.additionalProperties`],
  ];
  return found.flatMap(([child, path]) => (isJsonObject(child) ? [[child, path] as const] : []));
}

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

/** One CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
  readonly optionalOldSelf?: boolean;
}

/** A node of a structural schema (OpenAPI v3 subset of CustomResourceDefinitions); unknown keywords are carried along and ignored. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly default?: Json;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** Returns the schema of a member; undefined where none is declared. */
export function memberSchema({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
