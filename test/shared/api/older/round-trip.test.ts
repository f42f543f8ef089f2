import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { convertObject } from "../../../../shared/api/older/convert.ts";
import { OLDER } from "../../../../shared/api/older/table.ts";
import { kindOf } from "../../../../shared/api/registry.ts";
import { type Structural, toStructural } from "../../../../shared/api/structural.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";

/** Objects of each pair of versions. The night test plays a million in all. */
const RUNS = Number(process.env["CAPSTAN_ROUND_TRIPS"] ?? 1_000) / 15;

/** A ClusterClass takes longest. */
const TIMEOUT_MS = 10 * MINUTE + RUNS * 60;

const lookup = (group: string) => `${group}/v9`;

const pairs = [...OLDER].flatMap(([name, versions]) => {
  const [group = "", kind = ""] = name.split("/");
  return Object.keys(versions).map((version) => ({ group, kind, version }));
});

const TEXT = fc.stringMatching(/^[a-z]{1,4}$/);

const SCHEMA = fc.record(
  { type: fc.constant("string"), uniqueItems: fc.boolean(), maxLength: fc.nat(9), default: fc.constant(0) },
  { requiredKeys: [] },
);

/** Members of a JSON schema that the definition of the kind does not describe. */
const NESTED: { readonly [name: string]: fc.Arbitrary<unknown> } = {
  additionalProperties: SCHEMA,
  items: SCHEMA,
  not: SCHEMA,
  properties: fc.dictionary(TEXT, SCHEMA, { minKeys: 1, maxKeys: 2 }),
  allOf: fc.array(SCHEMA, { minLength: 1, maxLength: 2 }),
  anyOf: fc.array(SCHEMA, { minLength: 1, maxLength: 2 }),
  oneOf: fc.array(SCHEMA, { minLength: 1, maxLength: 2 }),
};

/** Numbers that v1beta1 does not have when they are 0. */
const NEVER_ZERO = /^((ready|available|unavailable)Replicas|minReadySeconds)$/;

/** Values that a schema lets through; texts are of the right length only. None is empty, but for flags and numbers. */
function randomValue(schema: Structural, name: string): fc.Arbitrary<unknown> {
  const { type, properties, items, minimum = 0 } = schema;
  const options = schema["enum"];
  if (Array.isArray(options)) return fc.constantFrom(...options);
  if (properties !== undefined) return objectOf(schema);
  if (items !== undefined) return listOf(items, schema["x-kubernetes-list-map-keys"]);
  if (typeof schema["additionalProperties"] === "object")
    return fc.dictionary(TEXT, TEXT, { minKeys: 1, maxKeys: 2 });
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return NESTED[name] ?? TEXT;
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.integer({ min: Math.max(minimum, NEVER_ZERO.test(name) ? 1 : 0), max: 100 });
  if (schema.format === "date-time") return fc.constant("2026-01-31T12:00:00Z");
  return TEXT;
}

/** Elements that have keys are unique, and in their order: a map of v1beta1 keeps no other. */
function listOf(items: Structural, keys: unknown): fc.Arbitrary<readonly unknown[]> {
  const limits = { minLength: 1, maxLength: 3 };
  const named = ["name", "from"].filter((name) => items.properties?.[name] !== undefined);
  const by: readonly string[] = Array.isArray(keys) ? keys : named;
  if (by.length === 0) return fc.array(randomValue(items, ""), limits);
  const keyOf = (element: unknown) => JSON.stringify(by.map((key) => Reflect.get(Object(element), key)));
  return fc
    .uniqueArray(randomValue(items, ""), { ...limits, selector: keyOf })
    .map((list) => list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
}

function objectOf({ properties = {}, required = [] }: Structural): fc.Arbitrary<object> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, randomValue(schema, name)]),
  );
  return fc
    .record(members, { requiredKeys: required.filter((name) => name in members) })
    .filter((object) => Object.keys(object).length > 0);
}

/** Objects of a kind in v1beta2. */
function randomObject({ group, version, kind, schema }: Kind): fc.Arbitrary<KubeObject> {
  if (schema === undefined) throw new Error(`${kind} has no schema`);
  const properties = Object.fromEntries(
    Object.entries(toStructural(schema()).properties ?? {}).filter(([name]) => /^sp|^st/.test(name)),
  );
  const head = { apiVersion: `${group}/${version}`, kind, metadata: { name: "a", namespace: "team" } };
  return objectOf({ properties }).map((content) => ({ ...head, ...content }));
}

describe("a round trip", () => {
  it.each(pairs)(
    "of a $kind through $version loses nothing that it has",
    ({ group, kind, version }) => {
      const of = kindOf(group, kind);
      if (of === undefined) throw new Error(`${kind} is not a kind of the core`);
      const older = `${group}/${version}`;
      fc.assert(
        fc.property(randomObject(of), (object) => {
          const before = structuredClone(object);
          const down = convertObject(object, older, lookup);
          const up = convertObject(down, object.apiVersion, lookup);
          expect(object).toEqual(before);
          expect(up).toMatchObject(object);
          expect(convertObject(up, older, lookup)).toEqual(down);
          expect(convertObject(convertObject(down, object.apiVersion, lookup), older, lookup)).toEqual(down);
        }),
        { numRuns: Math.ceil(RUNS) },
      );
    },
    TIMEOUT_MS,
  );
});
