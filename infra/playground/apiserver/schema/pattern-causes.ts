import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { compilePattern, isRefused, patternWeight } from "./pattern.ts";

/** The most that all patterns of a schema may weigh, each counted once: about two seconds to compile. */
const MAX_WEIGHT = 400_000;

interface Walk {
  readonly causes: Cause[];
  readonly seen: Set<string>;
  weight: number;
}

/** Patterns that RE2 refuses, wherever they are in the schema of a CustomResourceDefinition. */
export function patternCauses(schema: JsonObject, field: string): Cause[] {
  const walk: Walk = { causes: [], seen: new Set(), weight: 0 };
  visit(walk, schema, field);
  return walk.causes;
}

function visit(walk: Walk, schema: Json | undefined, field: string): void {
  if (!isJsonObject(schema)) return;
  const { pattern, properties, items, additionalProperties, not } = schema;
  if (typeof pattern === "string" && pattern !== "") checkPattern(walk, pattern, `${field}.pattern`);
  if (isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties))
      visit(walk, child, `${field}.properties[${name}]`);
  }
  visit(walk, items, `${field}.items`);
  visit(walk, additionalProperties, `${field}.additionalProperties`);
  visit(walk, not, `${field}.not`);
  for (const junctor of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[junctor];
    if (!Array.isArray(list)) continue;
    for (const [index, child] of list.entries()) visit(walk, child, `${field}.${junctor}[${index}]`);
  }
}

function checkPattern(walk: Walk, pattern: string, field: string): void {
  const problem = problemOf(walk, pattern);
  if (problem === undefined) return;
  const text = `must be a valid regular expression, but isn't: ${problem}`;
  const message = `Invalid value: ${JSON.stringify(pattern)}: ${text}`;
  walk.causes.push({ reason: "FieldValueInvalid", message, field });
}

function problemOf(walk: Walk, pattern: string): string | undefined {
  if (!walk.seen.has(pattern)) {
    walk.seen.add(pattern);
    walk.weight += patternWeight(pattern);
  }
  if (walk.weight > MAX_WEIGHT) return "the patterns of this schema are too large together";
  const compiled = compilePattern(pattern);
  return isRefused(compiled) ? compiled.problem : undefined;
}
