import type { SchemaNode } from "./subject.ts";

/** The schema at the path of a field. */
export type Lookup =
  | { readonly is: "declared"; readonly node: SchemaNode; readonly path: string }
  /** Objects lose a value there. */
  | { readonly is: "absent"; readonly path: string }
  /** A node above allows any field. */
  | { readonly is: "open"; readonly path: string };

/** `items` of a list, values of a map. */
const STEPS = { "[]": "items", "{}": "additionalProperties" } as const;

/**
 * Finds a field in a schema: `status.ready`, `status.failureDomains.[].name` (of each item), `status.attributes.{}` (each
 * value). Reads own members only: a field may be called `constructor`.
 */
export function lookUp(root: SchemaNode, field: string, at: string): Lookup {
  let node = root;
  let path = at;
  for (const step of field.split(".")) {
    const isContainer = step === "[]" || step === "{}";
    const next = isContainer ? memberOf(node, STEPS[step]) : propertyOf(node, step);
    path = isContainer ? `${path}.${STEPS[step]}` : `${path}.properties.${step}`;
    if (next === undefined) return { is: isOpen(node) ? "open" : "absent", path };
    node = next;
  }
  return { is: "declared", node, path };
}

/** Values of unknown shape are kept below this node. */
function isOpen(node: SchemaNode): boolean {
  return node["x-kubernetes-preserve-unknown-fields"] === true || node["additionalProperties"] === true;
}

function propertyOf(node: SchemaNode, name: string): SchemaNode | undefined {
  const properties = memberOf(node, "properties");
  return properties === undefined ? undefined : memberOf(properties, name);
}

function memberOf(node: SchemaNode, member: string): SchemaNode | undefined {
  const value = Object.hasOwn(node, member) ? node[member] : undefined;
  return isNode(value) ? value : undefined;
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Names of the declared fields of an object. */
export function fieldsOf(node: SchemaNode): readonly string[] {
  return Object.keys(memberOf(node, "properties") ?? {});
}

export function requiredOf(node: SchemaNode): readonly string[] {
  const { required } = node;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/**
 * Returns `string`, `integer`, `array of string`, `int-or-string`, `date-time string`; for findings and comparisons.
 */
export function typeOf(node: SchemaNode): string {
  if (node["x-kubernetes-int-or-string"] === true) return "int-or-string";
  const { type, format } = node;
  if (typeof type !== "string" || type === "") return "any value";
  if (type === "array") return `array of ${typeOf(memberOf(node, "items") ?? {})}`;
  return type === "string" && format === "date-time" ? "date-time string" : type;
}

/** Whether a node has a type; a `date-time string` is a `string`, an `array` any list. */
export function hasType(node: SchemaNode, expected: string): boolean {
  const type = typeOf(node);
  return (
    type === expected ||
    (expected === "string" && type === "date-time string") ||
    type.split(" ")[0] === expected
  );
}

/** A node without a type of its own: any value is kept there. */
export function isAnything(node: SchemaNode): boolean {
  return typeOf(node) === "any value" && isOpen(node);
}

/** A number among the bounds of a node: `maxItems`, `minLength`. */
export function boundOf(node: SchemaNode, bound: string): number | undefined {
  const value = node[bound];
  return typeof value === "number" ? value : undefined;
}

/** The keys of a list that is a map; undefined for other lists. */
export function mapKeysOf(node: SchemaNode): readonly string[] | undefined {
  if (node["x-kubernetes-list-type"] !== "map") return undefined;
  const keys = node["x-kubernetes-list-map-keys"];
  return Array.isArray(keys) ? keys.map(String) : [];
}
