import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";

const text: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const intOrString: Schema = { "x-kubernetes-int-or-string": true };
const free: Schema = { "x-kubernetes-preserve-unknown-fields": true };

const struct = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});
const setOf = (items: Schema): Schema => ({ type: "array", "x-kubernetes-list-type": "set", items });
const listBy = (keys: readonly string[], items: Schema): Schema => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items,
});
const rules = (...given: readonly { readonly rule: string; readonly message?: string }[]): Schema => ({
  "x-kubernetes-validations": given,
});

/** A field for every keyword and list or map type that a structural schema knows. */
const spec = struct({
  size: { type: "integer", minimum: 0, maximum: 100 },
  ratio: { type: "number", exclusiveMinimum: true, minimum: 0 },
  steps: { type: "integer", multipleOf: 3 },
  color: { type: "string", enum: ["red", "green", "blue"] },
  mode: { type: "string", default: "Auto" },
  on: { type: "boolean" },
  short: { type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" },
  note: { type: "string", nullable: true },
  noteWithDefault: { type: "string", nullable: true, default: "none" },
  port: intOrString,
  when: { type: "string", format: "date-time" },
  address: { type: "string", format: "ipv4" },
  wait: { type: "string", format: "duration" },
  small: { type: "integer", format: "int32" },
  nested: struct({ a: text, b: { type: "string", default: "bee" }, deep: struct({ c: text, d: integer }) }),
  withDefault: struct({ x: { type: "integer", default: 1 }, y: text }, { default: {} }),
  point: struct({ x: integer, y: integer }, { "x-kubernetes-map-type": "atomic" }),
  strict: struct({ left: text, right: text }, { required: ["left"] }),
  labels: { type: "object", additionalProperties: text, maxProperties: 3 },
  limits: { type: "object", additionalProperties: intOrString },
  groups: { type: "object", additionalProperties: struct({ a: text, tags: setOf(text) }) },
  atomicMap: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
  list: { type: "array", items: text, minItems: 1, maxItems: 3 },
  structs: { type: "array", items: struct({ a: text, b: { type: "string", default: "bee" } }) },
  set: setOf(text),
  numbers: setOf(integer),
  items: listBy(
    ["name"],
    struct(
      { name: text, value: text, inner: struct({ v: text }), tags: setOf(text) },
      { required: ["name"] },
    ),
  ),
  ports: listBy(
    ["port", "protocol"],
    struct(
      { port: integer, protocol: { type: "string", default: "TCP" }, title: text },
      { required: ["port"] },
    ),
  ),
  free: { type: "object", ...free },
  anything: free,
  partly: struct({ known: integer, more: struct({ a: text }) }, free),
  template: { type: "object", "x-kubernetes-embedded-resource": true, ...free },
  either: struct({ one: text, two: text }, { oneOf: [{ required: ["one"] }, { required: ["two"] }] }),
  once: { type: "string", ...rules({ rule: "self == oldSelf", message: "once is immutable" }) },
  range: struct(
    { low: integer, high: integer },
    rules({ rule: "!has(self.low) || !has(self.high) || self.low <= self.high" }),
  ),
  growing: { ...integer, ...rules({ rule: "self >= oldSelf", message: "growing only grows" }) },
  unique: {
    type: "array",
    maxItems: 5,
    items: text,
    ...rules({ rule: "self.all(x, self.exists_one(y, x == y))" }),
  },
});

const status = struct({
  phase: text,
  replicas: integer,
  selector: text,
  observed: struct({ size: integer, at: { type: "string", format: "date-time" } }),
  conditions: listBy(
    ["type"],
    struct({ type: text, status: text, reason: text, observedGeneration: integer }, { required: ["type"] }),
  ),
});

const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Phase", type: "string", jsonPath: ".status.phase" },
  { name: "Set", type: "string", jsonPath: ".spec.set", priority: 1 },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

const version = (name: string, storage: boolean, differing: Readonly<Record<string, Schema>>) => ({
  name,
  served: true,
  storage,
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
  ...(storage ? { additionalPrinterColumns: columns } : {}),
  schema: {
    openAPIV3Schema: struct({ spec: { ...spec, properties: { ...spec.properties, ...differing } }, status }),
  },
});

/** The kind of the generated sequences: two versions that differ in one default, status and scale. */
export const GIZMOS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.test.capstan.dev" },
  spec: {
    group: "test.capstan.dev",
    scope: "Namespaced",
    names: { plural: "gizmos", kind: "Gizmo" },
    versions: [
      version("v1", true, {}),
      version("v1beta1", false, {
        color: { type: "string", default: "red" },
      }),
    ],
  },
};

export const GIZMOS_PATH = "/apis/test.capstan.dev/v1/namespaces/{ns}/gizmos";
export const OLD_GIZMOS_PATH = "/apis/test.capstan.dev/v1beta1/namespaces/{ns}/gizmos";
