import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { convertObject } from "../../../../shared/api/older/convert.ts";
import { olderSchema } from "../../../../shared/api/older/schema.ts";
import { OLDER } from "../../../../shared/api/older/table.ts";
import { kindOf } from "../../../../shared/api/registry.ts";
import { type Structural, toStructural } from "../../../../shared/api/structural.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";

const lookup = (group: string) => `${group}/v9`;

const pairs = [...OLDER].flatMap(([name, versions]) => {
  const [group = "", kind = ""] = name.split("/");
  const schema = kindOf(group, kind)?.schema;
  if (schema === undefined) throw new Error(`${kind} has no schema`);
  const present = toStructural(schema());
  return Object.entries(versions).map(([version, rules]) => {
    return { group, kind, version, present, older: olderSchema(present, rules) };
  });
});

/** Objects that begin in v1beta2 without and with empty values, and in the older version, of each pair. */
const RUNS = Math.ceil(Number(process.env["CAPSTAN_ROUND_TRIPS"] ?? 1_000) / pairs.length / 3);

/** A ClusterClass takes longest. */
const TIMEOUT_MS = 10 * MINUTE + RUNS * 60;

const TEXT = fc.stringMatching(/^[a-z]{1,4}$/);
/** No random text. */
const NAMESPACE = "a-team";

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

/** Fields, and values, that v1beta2 has no place for. Source: CV-61, CV-42 */
const LOST = /^(rolloutAfter|definitionFrom|progressDeadlineSeconds|revisionHistoryLimit)$/;
const SAID_OTHERWISE = ["", "Updating"];

/** Members of an older version that are a duration; Go's text for 0 is theirs for none. */
const DURATION = /^timeout$|Timeout$/;
const DURATIONS = ["0s", "1s", "10m0s", "1h0m1s"];

const EMPTY: { readonly [type: string]: unknown } = {
  array: [],
  boolean: false,
  integer: 0,
  number: 0,
  object: {},
  string: "",
};

/** Makes values that a schema lets through; texts are of the right length only. */
interface Random {
  readonly valueOf: (schema: Structural, name: string) => fc.Arbitrary<unknown>;
}

/** None is empty, but for flags and numbers. */
const given: Random = { valueOf: (schema, name) => fullValue(schema, name, given) };

/** Some members are null, or what Go takes for none. */
const gappy: Random = {
  valueOf: (schema, name) => {
    const { type = "", format } = schema;
    const empty = format === "date-time" || DURATION.test(name) ? null : EMPTY[type];
    return fc.oneof({ weight: 5, arbitrary: fullValue(schema, name, gappy) }, fc.constantFrom(null, empty));
  },
};

function fullValue(schema: Structural, name: string, random: Random): fc.Arbitrary<unknown> {
  const { type, properties, items, minimum = 0 } = schema;
  const options = schema["enum"];
  if (Array.isArray(options))
    return fc.constantFrom(...options.filter((option) => !SAID_OTHERWISE.includes(option)));
  if (properties?.["resourceVersion"] !== undefined) return referenceAt(name);
  if (properties !== undefined) return objectOf(schema, random);
  if (items !== undefined) return listOf(items, schema["x-kubernetes-list-map-keys"], random);
  const values = schema["additionalProperties"];
  if (typeof values === "object")
    return fc.dictionary(TEXT, fullValue(values as Structural, "", random), { minKeys: 1, maxKeys: 2 });
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return NESTED[name] ?? TEXT;
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.integer({ min: Math.max(minimum, NEVER_ZERO.test(name) ? 1 : 0), max: 100 });
  if (schema.format === "date-time") return fc.constant("2026-01-31T12:00:00Z");
  return DURATION.test(name) ? fc.constantFrom(...DURATIONS) : TEXT;
}

/** As v1beta1 has it, with what v1beta2 does not lose. */
function referenceAt(member: string): fc.Arbitrary<object> {
  return TEXT.map((name) =>
    member === "nodeRef"
      ? { apiVersion: "v1", kind: "Node", name }
      : { apiVersion: lookup("a.example"), kind: "Foo", name, namespace: NAMESPACE },
  );
}

/** Elements that have keys are unique, and in their order: a map of v1beta1 keeps no other. */
function listOf(items: Structural, keys: unknown, random: Random): fc.Arbitrary<readonly unknown[]> {
  const limits = { minLength: 1, maxLength: 3 };
  const named = ["name", "from"].filter((name) => items.properties?.[name] !== undefined);
  const by: readonly string[] = Array.isArray(keys) ? keys : named;
  const element = fullValue(items, "", random);
  if (by.length === 0) return fc.array(element, limits);
  const keysOf = (of: unknown) => by.map((key) => Reflect.get(Object(of), key));
  const keyOf = (of: unknown) => JSON.stringify(keysOf(of));
  return fc
    .uniqueArray(
      element.filter((of) => keysOf(of).every((key) => key !== null && key !== "")),
      { ...limits, selector: keyOf },
    )
    .map((list) => list.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
}

function objectOf({ properties = {}, required = [] }: Structural, random: Random): fc.Arbitrary<object> {
  const kept = Object.entries(properties).filter(([name]) => !LOST.test(name));
  const members = Object.fromEntries(kept.map(([name, schema]) => [name, random.valueOf(schema, name)]));
  return fc
    .record(members, { requiredKeys: required.filter((name) => name in members) })
    .filter((object) => Object.keys(object).length > 0);
}

/** Objects of a kind in the version that has this schema. */
function randomObject(
  random: Random,
  { apiVersion, kind, schema }: { apiVersion: string; kind: string; schema: Structural },
): fc.Arbitrary<KubeObject> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => /^sp|^st/.test(name)),
  );
  const metadata = { name: "a", namespace: NAMESPACE, labels: { a: "b" }, annotations: { note: "x" } };
  return objectOf({ properties }, random).map((content) => ({ apiVersion, kind, metadata, ...content }));
}

/** Returns spec and status without what Go takes for none, or what stands for a reference to nothing. */
function filled({ metadata: _, ...object }: KubeObject): unknown {
  return withoutEmpty(object);
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((of) => withoutEmpty(of) ?? null);
  if (typeof value !== "object" || value === null) return value === "0s" ? undefined : value || undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const of = withoutEmpty(member);
    return of === undefined ? [] : [[name, of] as const];
  });
  return members.every(([, of]) => of === NAMESPACE) ? undefined : Object.fromEntries(members);
}

describe("a round trip", () => {
  it.each(pairs)(
    "of a $kind through $version loses nothing that it has",
    ({ group, kind, version, present }) => {
      const [apiVersion, older] = [`${group}/v1beta2`, `${group}/${version}`];
      fc.assert(
        fc.property(randomObject(given, { apiVersion, kind, schema: present }), (object) => {
          const before = structuredClone(object);
          const down = convertObject(object, older, lookup);
          const up = convertObject(down, apiVersion, lookup);
          expect(object).toEqual(before);
          expect(up).toMatchObject(object);
          expect(convertObject(up, older, lookup)).toEqual(down);
          expect(convertObject(convertObject(down, apiVersion, lookup), older, lookup)).toEqual(down);
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  const begun = pairs.flatMap(({ group, kind, version, present, older }) => {
    return [
      { group, kind, from: "v1beta2", through: version, schema: present },
      { group, kind, from: version, through: "v1beta2", schema: older },
    ];
  });
  it.each(begun)(
    "of a $kind of $from through $through loses no more than empty values",
    ({ group, kind, from, through, schema }) => {
      const apiVersion = `${group}/${from}`;
      fc.assert(
        fc.property(randomObject(gappy, { apiVersion, kind, schema }), (object) => {
          const there = convertObject(object, `${group}/${through}`, lookup);
          const back = convertObject(there, apiVersion, lookup);
          expect(filled(back)).toEqual(filled(object));
          expect(filled(convertObject(back, there.apiVersion, lookup))).toEqual(filled(there));
        }),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );
});
