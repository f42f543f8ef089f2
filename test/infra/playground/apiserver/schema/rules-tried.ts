import { isJsonObject, type Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { evaluateRules } from "../../../../../infra/playground/apiserver/schema/cel.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { validate } from "../../../../../infra/playground/apiserver/schema/validate.ts";

/** A node of a schema that has rules, with its path. */
export interface Ruled {
  readonly path: string;
  readonly schema: Schema;
}

export function ruledNodes(schema: Schema, path = ""): readonly Ruled[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    ruledNodes(child, `${path}.${name}`),
  );
  const items = schema.items === undefined ? [] : ruledNodes(schema.items, `${path}[]`);
  const own = (schema["x-kubernetes-validations"] ?? []).length === 0 ? [] : [{ path, schema }];
  return [...own, ...below, ...items];
}

/** A value of this shape: with every field, or only with those that are required. */
function sample(schema: Schema, isFull: boolean): Json {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  switch (schema.type) {
    case "object": {
      const names = Object.keys(properties).filter((name) => isFull || required.includes(name));
      const map: [string, Json][] =
        typeof additionalProperties === "object" ? [["a", sample(additionalProperties, isFull)]] : [];
      return Object.fromEntries([
        ...map,
        ...names.map((name) => [name, sample(properties[name] ?? {}, isFull)] as const),
      ]);
    }
    case "array":
      return items === undefined ? [] : [sample(items, isFull)];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return Math.max(1, schema.minimum ?? 1);
    default:
      return (schema.enum?.[0] as Json | undefined) ?? "a";
  }
}

/** Every value that differs from this one in one place of a field that a rule names: absent, null, empty, another key. */
function mutants(schema: Schema, value: Json, names: ReadonlySet<string>): readonly Json[] {
  if (typeof value === "string") return [""];
  if (Array.isArray(value)) {
    const { items = {} } = schema;
    return [[], ...value.flatMap((item) => mutants(items, item, names).map((other) => [other]))];
  }
  if (!isJsonObject(value)) return [];
  const otherKey = typeof schema.additionalProperties === "object" ? [{ b: value["a"] ?? "a" }] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const { [name]: present, ...others } = value;
    if (present === undefined || !names.has(name)) return [];
    return [
      others,
      ...[null, ...mutants(child, present, names)].map((other) => ({ ...others, [name]: other })),
    ];
  });
  return [{}, ...otherKey, ...members];
}

/** Refusals that stand before the rules: they are tried only of an object of the right shape. */
const SHAPE = /Required value|must be of type|Invalid type/;

/** Returns the refusals of rules that could not be evaluated, whatever of their fields is absent, empty or null. */
export function unevaluated({ path, schema }: Ruled): readonly string[] {
  const texts = (schema["x-kubernetes-validations"] ?? []).map(({ rule }) => rule);
  const names = new Set(texts.join(" ").match(/[A-Za-z]\w*/g));
  // The server gives every object its metadata.
  const stored = (value: Json): Json =>
    path === "" && isJsonObject(value) ? { ...value, metadata: { name: "a" } } : value;
  const bases = [true, false].map((isFull) => stored(sample(schema, isFull)));
  return bases
    .flatMap((base) => [base, ...mutants(schema, base, names).map(stored)])
    .filter((value) => !validate(schema, value).some(({ message }) => SHAPE.test(message)))
    .flatMap((value) => [undefined, ...bases].flatMap((old) => evaluateRules(schema, value, old)))
    .map(({ message }) => message)
    .filter((message) => /evaluating rule|did not evaluate/.test(message));
}
