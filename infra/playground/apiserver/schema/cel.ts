import { type CelInput, type CelResult, isCelError } from "@bufbuild/cel";
import { LongInteger } from "../../../platform/yaml/long-integer.ts";
import { type Cause, MAX_CAUSES } from "../errors/status-error.ts";
import {
  equalJson,
  isInteger,
  isJsonArray,
  isJsonObject,
  isNumber,
  type Json,
  type JsonObject,
} from "../objects/json.ts";
import { CALL_COST_LIMIT, metered } from "./cel-cost.ts";
import { type CompiledRule, compiledRules } from "./cel-rules.ts";
import { identityOf, type Schema, type ValidationRule } from "./schema.ts";

/**
 * CEL rules of a schema, `x-kubernetes-validations`.
 * Source: https://kubernetes.io/docs/reference/using-api/cel
 */

const ruledBySchema = new WeakMap<Schema, boolean>();

/** Words CEL keeps for itself; a property of that name is written `__name__` in rules. */
const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/**
 * Evaluates every rule of the schema on the object. `old` is the stored object, undefined on create: rules
 * that use
 * `oldSelf` are tried only where a value has a counterpart there (by field, map key or list key).
 * A rule that fails to evaluate refuses the object, as on the real server; one that does not compile is
 * passed over.
 */
export function evaluateRules(schema: Schema, object: Json, old: Json | undefined): Cause[] {
  if (!hasRules(schema)) return [];
  const causes: Cause[] = [];
  visit({ causes, path: "", budget: { left: COST_BUDGET } }, schema, object, old);
  return causes;
}

/** The texts of rules that cannot be used here, so that creating a CustomResourceDefinition can warn about them. */
export function uncompilableRules(schema: Schema): string[] {
  if (!hasRules(schema)) return [];
  return [...compiledRules(schema).failed, ...childrenOf(schema).flatMap(uncompilableRules)];
}

function childrenOf(schema: Schema): Schema[] {
  const { additionalProperties, items } = schema;
  return [
    ...Object.values(schema.properties ?? {}),
    ...(typeof additionalProperties === "object" ? [additionalProperties] : []),
    ...(items === undefined ? [] : [items]),
  ];
}

/** Whether this node or one below it has rules; most subtrees have none and are not walked. */
function hasRules(schema: Schema): boolean {
  const known = ruledBySchema.get(schema);
  if (known !== undefined) return known;
  const found = (schema["x-kubernetes-validations"] ?? []).length > 0 || childrenOf(schema).some(hasRules);
  ruledBySchema.set(schema, found);
  return found;
}

/**
 * The most that all rules of one object may cost.
 * Differs: the real server takes ten million; here one event loop serves all clients, and a million takes it
 * up to 0.3 s.
 */
const COST_BUDGET = 4_000_000;

interface Place {
  readonly causes: Cause[];
  readonly path: string;
  /** Cost that rules have left; negative = no further rule is evaluated. */
  readonly budget: { left: number };
}

function visit(place: Place, schema: Schema, value: Json, old: Json | undefined): void {
  if (!hasRules(schema) || value === null || place.budget.left < 0) return;
  // An unchanged value may be wrong: the rule was another one when it was written.
  const isKept = isPresent(old) && equalJson(old, value);
  const rules = compiledRules(schema).usable.filter((rule) => (rule.isTransition ? isPresent(old) : !isKept));
  if (rules.length > 0) {
    const bindings = {
      self: toCelValue(schema, value),
      ...(isPresent(old) ? { oldSelf: toCelValue(schema, old) } : {}),
    };
    for (const rule of rules) checkRule(place, rule, bindings, value);
  }
  if (isJsonArray(value)) visitItems(place, schema, value, old);
  else if (isJsonObject(value)) visitMembers(place, schema, value, old);
}

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
function toCelValue(schema: Schema, value: Json): CelInput {
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

function isPresent(old: Json | undefined): old is Json {
  return old !== undefined && old !== null;
}

function visitMembers(place: Place, schema: Schema, object: JsonObject, old: Json | undefined): void {
  const { properties, additionalProperties } = schema;
  const before = isJsonObject(old) ? old : {};
  for (const name of Object.keys(object)) {
    const declared =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const below = declared ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (below === undefined) continue;
    const path = place.path === "" ? name : `${place.path}.${name}`;
    const counterpart = Object.hasOwn(before, name) ? before[name] : undefined;
    visit({ ...place, path }, below, object[name] as Json, counterpart);
  }
}

function visitItems(place: Place, schema: Schema, items: readonly Json[], old: Json | undefined): void {
  if (schema.items === undefined || !hasRules(schema.items)) return;
  const counterparts = itemsByKey(schema, isJsonArray(old) ? old : []);
  for (const [index, item] of items.entries()) {
    const key = keyOf(schema, item);
    const counterpart = key === undefined ? undefined : counterparts.get(key);
    visit({ ...place, path: `${place.path}[${index}]` }, schema.items, item, counterpart);
  }
}

function itemsByKey(schema: Schema, items: readonly Json[]): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const item of items) {
    const key = keyOf(schema, item);
    if (key !== undefined) found.set(key, item);
  }
  return found;
}

/** Only members of keyed lists have counterparts. */
function keyOf(schema: Schema, item: Json): string | undefined {
  if (schema["x-kubernetes-list-type"] !== "map") return undefined;
  return identityOf(item, schema["x-kubernetes-list-map-keys"] ?? []);
}

function checkRule(
  place: Place,
  { rule, program, message }: CompiledRule,
  bindings: Readonly<Record<string, CelInput>>,
  value: Json,
): void {
  if (place.budget.left < 0 || place.causes.length > MAX_CAUSES) return;
  const type = typeOf(value);
  const { result, cost } = metered(() => program(bindings));
  const overrun = overrunOf(place, cost, rule);
  if (overrun !== undefined) {
    const message = `Invalid value: "${type}": ${overrun}`;
    place.causes.push({ reason: "FieldValueInvalid", message, field: place.path || "<nil>" });
    return;
  }
  if (result === true) return;
  if (isCelError(result) || result !== false) {
    const problem = isCelError(result) ? problemOf(result.message) : "rule did not evaluate to a boolean";
    const text = `Invalid value: "${type}": ${problem} evaluating rule: ${rule.message ?? rule.rule}`;
    place.causes.push({ reason: "FieldValueInvalid", message: text, field: place.path || "<nil>" });
    return;
  }
  const field = `${place.path}${rule.fieldPath ?? ""}`.replace(/^\./, "") || "<nil>";
  const text = message && messageOf(place, () => message(bindings));
  place.causes.push({
    ...refusal(rule.reason, type, text ?? rule.message ?? `failed rule: ${rule.rule}`),
    field,
  });
}

/** Returns the error of a rule that costs too much; no rule after it is evaluated. */
function overrunOf({ budget }: Place, cost: number, rule: ValidationRule): string | undefined {
  budget.left = cost > CALL_COST_LIMIT ? -1 : budget.left - cost;
  if (cost > CALL_COST_LIMIT) {
    return `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule.message ?? rule.rule}`;
  }
  if (budget.left >= 0) return undefined;
  return "validation failed due to running out of cost budget, no further validation rules will be run";
}

/** A message that costs too much is left out. */
function messageOf({ budget }: Place, evaluate: () => CelResult): string | undefined {
  const { result, cost } = metered(evaluate);
  budget.left = cost > CALL_COST_LIMIT ? -1 : budget.left - cost;
  return cost > CALL_COST_LIMIT ? undefined : textOf(result);
}

/** The library's words for a missing key are not those of Kubernetes. */
function problemOf(message: string): string {
  return message
    .replace(/^field not found:/, "no such key:")
    .replace(/^index (-?\d+) out of bounds \[.*$/, "index out of bounds: $1");
}

function textOf(result: CelResult): string | undefined {
  return typeof result === "string" && result.trim() !== "" ? result : undefined;
}

function typeOf(value: Json): string {
  if (isJsonArray(value)) return "array";
  if (isNumber(value)) return isInteger(value) ? "integer" : "number";
  return typeof value;
}

function refusal(reason: string | undefined, type: string, text: string): Cause {
  switch (reason) {
    case "FieldValueRequired":
      return { reason, message: `Required value: ${text}` };
    case "FieldValueForbidden":
      return { reason, message: `Forbidden: ${text}` };
    case "FieldValueDuplicate":
      return { reason, message: `Duplicate value: "${type}"` };
    default:
      return { reason: "FieldValueInvalid", message: `Invalid value: "${type}": ${text}` };
  }
}
