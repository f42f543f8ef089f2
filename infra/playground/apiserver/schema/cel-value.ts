import type { CelInput } from "@bufbuild/cel";
import { LongInteger } from "../../../platform/yaml/long-integer.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import type { Schema } from "./schema.ts";

/** Words CEL keeps for itself; a property of that name is written `__name__` in rules. */
const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Returns a property's name in rules: `__dot__`, `__dash__`, `__slash__`, `__underscores__` stand for other signs. */
function escapeName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/**
 * A JSON value as CEL sees it through its schema: integers are int, other numbers double, objects maps, members that
 * are null absent. Without a schema whole numbers are int.
 */
export function toCelValue(schema: Schema, value: Json): CelInput {
  const isInteger = schema.type === undefined || schema.type === "integer";
  if (value instanceof LongInteger) return isInteger ? value.value : Number(value.value);
  if (typeof value === "number") {
    return isInteger && Number.isInteger(value) ? BigInt(value) : value;
  }
  if (isJsonArray(value)) return value.map((item) => toCelValue(schema.items ?? {}, item));
  return isJsonObject(value) ? toCelMap(schema, value) : value;
}

function toCelMap(schema: Schema, object: JsonObject): CelInput {
  const { properties, additionalProperties } = schema;
  const map = new Map<string, CelInput>();
  for (const name of Object.keys(object)) {
    const item = object[name] as Json;
    const declared =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const below = declared ?? (typeof additionalProperties === "object" ? additionalProperties : {});
    if (item !== null) map.set(declared === undefined ? name : escapeName(name), toCelValue(below, item));
  }
  return map;
}
