import type { Structural } from "../structural.ts";
import { FORMS } from "./forms.ts";
import { type Empty, type OlderVersion, type Rule, written } from "./rule.ts";

/** How a value is converted: as it is once its type is right, in another form, or member by member. */
export type Shape =
  | { readonly is: "plain"; readonly type: string; readonly isTime: boolean }
  | { readonly is: "object" }
  | { readonly is: "form"; readonly form: (typeof FORMS)[keyof typeof FORMS] }
  | Nested;

/** An object, a list or a map of objects with fields of their own. */
export interface Nested {
  readonly is: "one" | "list" | "map";
  readonly fields: () => FieldRows;
  readonly hasNull?: true;
}

/** One field in both versions. */
export interface Row {
  /** Path in v1beta2. */
  readonly at: readonly string[];
  /** Path in the older version; `undefined`: it has no such field. */
  readonly old: readonly string[] | undefined;
  readonly up: Empty;
  readonly down: Empty;
  readonly restored: Rule["restored"];
  readonly shape: Shape;
  /** The value that is written for none. */
  readonly empty: unknown;
}

/** The fields of an object, or of the elements of a list. */
export interface FieldRows {
  readonly rows: readonly Row[];
  /** Rows with `up` or `down` of `always`, those above before those below. */
  readonly always: { readonly up: readonly Row[]; readonly down: readonly Row[] };
  /** Member by which elements of a list are found again. */
  readonly key: string | undefined;
}

const KEYS = ["name", "from"];

/** Returns the rows of a kind in an older version, from the schema of v1beta2 and the rules of the table. */
export function rowsOf(schema: Structural, { rules }: OlderVersion): FieldRows {
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
  const tops = ["spec", "status"].filter((name) => name in properties);
  return toFieldRows({ ...schema, properties }, [...written(...tops), ...rules]);
}

function toFieldRows(schema: Structural, rules: readonly Rule[]): FieldRows {
  const rows: Row[] = [];
  for (const field of fieldsOf(schema, rules)) {
    const { at, old, rule, isRequired } = field;
    const shape = shapeOf(field.schema, rule);
    const own = shape.is === "plain" ? emptyOf(field.schema, isRequired) : "drop";
    const { up = own, down = own, restored } = rule ?? {};
    if (shape.is === "object" && up === "drop" && down === "drop") continue;
    rows.push({ at, old, up, down, restored, shape, empty: zeroOf(field.schema) });
  }
  return {
    rows,
    always: {
      up: rows.filter(({ up }) => up === "always"),
      down: rows.filter(({ down }) => down === "always"),
    },
    key: KEYS.find((name) => schema.properties?.[name] !== undefined),
  };
}

/** One field of an object or of the elements of a list, an object before its members. */
export interface Field {
  readonly at: readonly string[];
  readonly old: readonly string[] | undefined;
  readonly schema: Structural;
  readonly rule: Rule | undefined;
  readonly isRequired: boolean;
}

/** Returns all fields of a schema, with their rules, in its order. */
export function fieldsOf(schema: Structural, rules: readonly Rule[]): readonly Field[] {
  const byPath = new Map<string, Rule>();
  for (const rule of rules) {
    const others = byPath.get(rule.at);
    const items = [...(others?.items ?? []), ...(rule.items ?? [])];
    byPath.set(rule.at, { ...others, ...rule, ...(items.length === 0 ? {} : { items }) });
  }
  return fieldsBelow(schema, { at: [], old: [] }, byPath);
}

function fieldsBelow(
  { properties = {}, required = [] }: Structural,
  above: { readonly at: readonly string[]; readonly old: readonly string[] },
  rules: ReadonlyMap<string, Rule>,
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const at = [...above.at, name];
    const rule = rules.get(at.join("."));
    const old = rule?.old === undefined ? [...above.old, name] : (rule.old?.split(".") ?? undefined);
    const field = { at, old, schema, rule, isRequired: required.includes(name) };
    const isObject = shapeOf(schema, rule).is === "object";
    return isObject && old !== undefined ? [field, ...fieldsBelow(schema, { at, old }, rules)] : [field];
  });
}

function shapeOf(schema: Structural, rule: Rule | undefined): Shape {
  if (rule?.as !== undefined) return { is: "form", form: FORMS[rule.as] };
  if (rule?.isSchema) return { is: "one", fields: schemaRows(schema, rule.items ?? []) };
  const { items, properties, type } = schema;
  if (items?.properties !== undefined) {
    const fields = toFieldRows(items, rule?.items ?? []);
    return { is: "list", fields: () => fields, ...(rule?.hasNull ? { hasNull: true } : {}) };
  }
  if (properties !== undefined) return { is: "object" };
  const isTime = schema.format === "date-time";
  return {
    is: "plain",
    type: schema["x-kubernetes-int-or-string"] === true ? "any" : (type ?? "any"),
    isTime,
  };
}

const NESTED = {
  one: ["additionalProperties", "items", "not"],
  map: ["properties"],
  list: ["allOf", "anyOf", "oneOf"],
} as const;

/** The rows of a JSON schema, made when they are used: its members have the same ones. */
function schemaRows(schema: Structural, rules: readonly Rule[]): () => FieldRows {
  let made: FieldRows | undefined;
  const fields = (): FieldRows => {
    if (made !== undefined) return made;
    const { rows, ...others } = toFieldRows(schema, rules);
    const withNested = rows.map((row): Row => {
      const is = (["one", "map", "list"] as const).find((form) =>
        (NESTED[form] as readonly string[]).includes(row.at.join(".")),
      );
      return is === undefined
        ? row
        : {
            ...row,
            up: is === "one" ? "keep" : "drop",
            down: is === "one" ? "keep" : "drop",
            shape: { is, fields },
          };
    });
    made = { ...others, rows: withNested };
    return made;
  };
  return fields;
}

/** An empty value is one where v1beta2 takes it. Its flags are pointers in Go, and those of v1beta1 are not. */
function emptyOf({ type, minimum, ...schema }: Structural, isRequired: boolean): Empty {
  if (type === "boolean" || type === "array" || type === "object" || schema.format === "date-time")
    return "drop";
  if (type === "integer" || type === "number") return minimum !== undefined && minimum > 0 ? "drop" : "keep";
  if (type !== "string") return "keep";
  const refusesEmpty = Number(schema["minLength"] ?? 0) > 0 || "pattern" in schema || "enum" in schema;
  if (refusesEmpty) return "drop";
  return isRequired ? "always" : "keep";
}

const ZEROS: ReadonlyMap<string, unknown> = new Map(
  Object.entries({ string: "", integer: 0, number: 0, boolean: false, object: {} }),
);

function zeroOf({ type = "", format }: Structural): unknown {
  return format === "date-time" ? null : (ZEROS.get(type) ?? null);
}
