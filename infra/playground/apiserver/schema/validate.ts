import { LongInteger } from "../../../platform/yaml/long-integer.ts";
import { type Cause, MAX_CAUSES } from "../errors/status-error.ts";
import {
  canonicalJson,
  equalJson,
  isJsonArray,
  isJsonObject,
  isNumber,
  type Json,
  type JsonObject,
} from "../objects/json.ts";
import { hasFormat } from "./format.ts";
import { patternProblem, type Spent, tooLongCause } from "./pattern.ts";
import { identityOf, itemsByIdentity, keysOf, type Schema } from "./schema.ts";

/**
 * Checks an object against its structural schema; metadata is the server's business unless the schema
 * types it.
 * A value that is unchanged from `stored` may be wrong: the schema was another one when it was written.
 * Returns one cause per problem, worded as the real server words it; empty = valid. Problems after more than
 * `most` causes is not checked.
 */
export function validate(schema: Schema, object: Json, stored?: Json, most = MAX_CAUSES): Cause[] {
  const spent: Spent = { patternSteps: 0 };
  const causes: Cause[] = [];
  checkNode({ causes, most, path: "", stored, spent }, schema, object);
  return spent.tooLong === undefined ? causes : [...causes, tooLongCause(spent.tooLong)];
}

/** Returns the problems of a value at a place, without regard to the stored value. */
function causesAt(place: Place, schema: Schema, value: Json): Cause[] {
  const causes: Cause[] = [];
  checkNode({ ...place, causes, stored: undefined }, schema, value);
  return causes;
}

interface Place {
  readonly causes: Cause[];
  readonly most: number;
  /** `spec.items[0].name`; empty at the root. */
  readonly path: string;
  /** The value before the write; undefined when there was none, or none that corresponds. */
  readonly stored: Json | undefined;
  readonly spent: Spent;
}

function member(place: Place, name: string): Place {
  const { path, stored } = place;
  const before = isJsonObject(stored) && Object.hasOwn(stored, name) ? stored[name] : undefined;
  return { ...place, path: path === "" ? name : `${path}.${name}`, stored: before };
}

function itemAt(place: Place, index: number, stored: Json | undefined): Place {
  return { ...place, path: `${place.path}[${index}]`, stored };
}

function report(place: Place, reason: string, message: string): void {
  place.causes.push({ reason, message, field: place.path === "" ? "<nil>" : place.path });
}

/** A value as Go prints it in messages: texts quoted, the rest as JSON. */
function shown(value: Json): string {
  return JSON.stringify(value);
}

function refuse(place: Place, value: Json, problem: string): void {
  report(place, "FieldValueInvalid", `Invalid value: ${shown(value)}: ${place.path} in body ${problem}`);
}

function checkNode(place: Place, schema: Schema, value: Json): void {
  if (place.causes.length > place.most) return;
  if (value === null && schema.nullable === true) return;
  if (place.stored !== undefined && equalJson(place.stored, value)) return;
  checkType(place, schema, value);
  if (schema.enum !== undefined) checkEnum(place, schema.enum, value);
  if (typeof value === "string") checkText(place, schema, value);
  else if (isNumber(value)) checkNumber(place, schema, value);
  else if (isJsonArray(value)) checkItems(place, schema, value);
  else if (isJsonObject(value)) checkMembers(place, schema, value);
  checkCombinations(place, schema, value);
}

function typeName(value: Json): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return "array";
  if (value instanceof LongInteger) return "integer";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "number";
  return typeof value;
}

function checkType(place: Place, schema: Schema, value: Json): void {
  const found = typeName(value);
  const wanted = schema["x-kubernetes-int-or-string"] === true ? "integer,string" : schema.type;
  if (wanted === undefined || wanted === found || (wanted === "number" && found === "integer")) return;
  if (wanted === "integer,string" && (found === "integer" || found === "string")) return;
  const problem = `${place.path} in body must be of type ${wanted}: "${found}"`;
  report(place, "FieldValueTypeInvalid", `Invalid value: "${found}": ${problem}`);
}

function checkEnum(place: Place, allowed: readonly Json[], value: Json): void {
  if (allowed.some((one) => equalJson(one, value))) return;
  const list = allowed.map(shown).join(", ");
  report(place, "FieldValueNotSupported", `Unsupported value: ${shown(value)}: supported values: ${list}`);
}

/** Kubernetes counts characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

function checkText(place: Place, schema: Schema, value: string): void {
  const { minLength, maxLength, pattern, format } = schema;
  // The first problem is enough; above all too long a text is not tried on the pattern.
  if (maxLength !== undefined && value.length > maxLength && lengthOf(value) > maxLength) {
    report(place, "FieldValueTooLong", `Too long: may not be more than ${maxLength} bytes`);
  } else if (minLength !== undefined && lengthOf(value) < minLength) {
    refuse(place, value, `should be at least ${minLength} chars long`);
  } else if (pattern !== undefined) {
    const problem = patternProblem(place.spent, pattern, value, place.path);
    if (problem !== undefined) refuse(place, value, problem);
  }
  if (format !== undefined && !hasFormat(format, value)) {
    const problem = `${place.path} in body must be of type ${format}: ${shown(value)}`;
    report(place, "FieldValueTypeInvalid", `Invalid value: ${shown(value)}: ${problem}`);
  }
}

function checkNumber(place: Place, schema: Schema, number: number | LongInteger): void {
  const { minimum, maximum, multipleOf } = schema;
  const value = number instanceof LongInteger ? number.value : number;
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    const limit = schema.exclusiveMaximum === true ? "less than" : "less than or equal to";
    refuse(place, number, `should be ${limit} ${maximum}`);
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    const limit = schema.exclusiveMinimum === true ? "greater than" : "greater than or equal to";
    refuse(place, number, `should be ${limit} ${minimum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(Number(value) / multipleOf)) {
    refuse(place, number, `should be a multiple of ${multipleOf}`);
  }
}

function checkItems(place: Place, schema: Schema, items: readonly Json[]): void {
  const { minItems, maxItems } = schema;
  if (maxItems !== undefined && items.length > maxItems) {
    report(
      place,
      "FieldValueTooMany",
      `Too many: ${items.length}: must have at most ${plural(maxItems, "item")}`,
    );
  }
  if (minItems !== undefined && items.length < minItems) {
    refuse(place, items.length, `should have at least ${minItems} items`);
  }
  if (schema.uniqueItems === true && new Set(items.map(canonicalJson)).size < items.length) {
    refuse(place, items, "shouldn't contain duplicates");
  }
  if (schema.items !== undefined) checkEachItem(place, schema, schema.items, items);
  checkIdentity(place, schema, items);
}

function checkEachItem(place: Place, list: Schema, schema: Schema, items: readonly Json[]): void {
  const keys = list["x-kubernetes-list-map-keys"] ?? [];
  const stored = itemsByIdentity(place.stored, keys);
  for (const [index, item] of items.entries()) {
    const identity = stored.size === 0 ? undefined : identityOf(item, keys);
    checkNode(itemAt(place, index, identity === undefined ? undefined : stored.get(identity)), schema, item);
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Members of sets and keyed lists are unique; the later one of two is reported. */
function checkIdentity(place: Place, schema: Schema, items: readonly Json[]): void {
  const kind = schema["x-kubernetes-list-type"];
  if (kind !== "set" && kind !== "map") return;
  const keys = kind === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : undefined;
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const identity = keys === undefined ? item : keysOf(item, keys);
    if (identity === undefined) continue;
    const text = canonicalJson(identity);
    if (seen.has(text)) {
      report(itemAt(place, index, undefined), "FieldValueDuplicate", `Duplicate value: ${text}`);
    }
    seen.add(text);
  }
}

/** Every embedded resource says what it is. */
const TYPE_MEMBERS = ["apiVersion", "kind"];

function checkMembers(place: Place, schema: Schema, object: JsonObject): void {
  const names = Object.keys(object);
  checkMemberCount(place, schema, object);
  const required = schema["x-kubernetes-embedded-resource"] === true ? TYPE_MEMBERS : [];
  for (const name of [...required, ...(schema.required ?? [])]) {
    if (!Object.hasOwn(object, name)) report(member(place, name), "FieldValueRequired", "Required value");
  }
  const { properties, additionalProperties } = schema;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  for (const name of names) {
    const declared =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const below = declared ?? others;
    if (below !== undefined) checkNode(member(place, name), below, object[name] as Json);
  }
}

function checkMemberCount(place: Place, { minProperties, maxProperties }: Schema, object: JsonObject): void {
  const count = Object.keys(object).length;
  if (maxProperties !== undefined && count > maxProperties) {
    const limit = `must have at most ${plural(maxProperties, "item")}`;
    report(place, "FieldValueTooMany", `Too many: ${count}: ${limit}`);
  }
  if (minProperties !== undefined && count < minProperties) {
    refuse(place, count, `should have at least ${minProperties} properties`);
  }
}

/** Says as well what the alternative that fits best objects to. */
function reportNearest(place: Place, alternatives: readonly (readonly Cause[])[]): void {
  const [nearest = []] = alternatives.toSorted((left, right) => left.length - right.length);
  for (const cause of nearest) place.causes.push(cause);
}

/** Every alternative is tried once: alternatives within alternatives would take exponential time otherwise. */
function checkCombinations(place: Place, schema: Schema, value: Json): void {
  const { allOf, anyOf, oneOf, not } = schema;
  const name = `"${place.path}"`;
  // The real server does not say where, except in the text.
  const nowhere = { ...place, path: "", stored: undefined };
  const fail = (problem: string): void =>
    report(nowhere, "FieldValueInvalid", `Invalid value: "": ${name} ${problem}`);
  const objections = (list: readonly Schema[]) => list.map((one) => causesAt(place, one, value));
  const toAny = anyOf && objections(anyOf);
  if (toAny?.every((causes) => causes.length > 0)) {
    fail("must validate at least one schema (anyOf)");
    reportNearest(place, toAny);
  }
  const toOne = oneOf && objections(oneOf);
  const count = toOne?.filter((causes) => causes.length === 0).length ?? 1;
  if (toOne && count !== 1) {
    const found = count === 0 ? "none valid" : `${count} valid alternatives`;
    fail(`must validate one and only one schema (oneOf). Found ${found}`);
    if (count === 0) reportNearest(place, toOne);
  }
  for (const one of allOf ?? []) checkNode(place, one, value);
  if (not !== undefined && causesAt(place, not, value).length === 0)
    fail("must not validate the schema (not)");
}
