import * as z from "zod";
import type { ObjectMeta } from "./kinds.ts";

/** A type with all members read-only: snapshots are frozen and shared. */
export type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

const DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
export const DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const QUALIFIED_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/** A string of `min` to `max` characters that matches `pattern`, when there is one. */
export function text(min: number, max: number, pattern?: string) {
  const limited = z.string().min(min).max(max);
  return pattern === undefined ? limited : limited.regex(new RegExp(pattern));
}

export const dnsSubdomain = () => text(1, 253, `^${DNS_SUBDOMAIN}$`);
export const dnsLabel = () => text(1, 63, `^${DNS_LABEL}$`);
export const kindName = () => text(1, 63, "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$");
/** `Ready`, `example.com/GPUHealthy`. */
export const CONDITION_TYPE = `^(${DNS_SUBDOMAIN}/)?(${QUALIFIED_NAME})$`;
export const TAINT_KEY = `^(${DNS_SUBDOMAIN}\\/)?${QUALIFIED_NAME}$`;
export const LABEL_VALUE = `^(${QUALIFIED_NAME})?$`;

/** RFC 3339 with `Z` or an offset, as `metav1.Time` reads it. A value, and no function as the others: rules check by it. */
export const time = z.iso.datetime({ offset: true });
export const seconds = () => z.int32().min(0);
/** A count, or a percentage such as `40%`. */
export const intOrString = () =>
  z.union([z.int32(), z.string()]).meta({ "x-kubernetes-int-or-string": true });
export const stringMap = () => z.record(z.string(), z.string());

/** The group version of a kind is fixed by its CRD, so the schema does not repeat it. */
export const typeMeta = () => ({
  apiVersion: z.string().describe("API group and version that this object is written in."),
  kind: z.string().describe("Kind of this object."),
});

/** Checks what Capstan reads; every other field of `metadata` is kept. The CRD says only `type: object`. */
export const objectMetaSchema: () => z.ZodType<ObjectMeta> = () =>
  z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string().optional(),
    resourceVersion: z.string().optional(),
    generation: z.int().optional(),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).optional(),
    labels: stringMap().optional(),
    annotations: stringMap().optional(),
    ownerReferences: z
      .array(
        z.looseObject({
          apiVersion: z.string(),
          kind: z.string(),
          name: z.string(),
          uid: z.string(),
          controller: z.boolean().optional(),
          blockOwnerDeletion: z.boolean().optional(),
        }),
      )
      .optional(),
  });

/** An object that must have at least one known member when it is present. */
export function notEmpty<S extends z.ZodRawShape>(shape: S) {
  return z
    .object(shape)
    .refine((value) => Object.keys(value).length > 0, "must have at least one member")
    .meta({ minProperties: 1 });
}

/** How many elements a list may have; absent means no limit. */
interface ListLimits {
  readonly min?: number;
  readonly max?: number;
}

function limited<T extends z.ZodType>(item: T, { min, max }: ListLimits) {
  const list = z.array(item);
  const atLeast = min === undefined ? list : list.min(min);
  return max === undefined ? atLeast : atLeast.max(max);
}

/** A list that is one value for server-side apply: one writer for all of it. */
export function atomicList<T extends z.ZodType>(item: T, limits: ListLimits = {}) {
  return limited(item, limits).meta({ "x-kubernetes-list-type": "atomic" });
}

/** A list whose elements are identified by `keys`; two elements with the same keys are refused. */
export function mapList<S extends z.ZodRawShape>(
  item: z.ZodObject<S>,
  keys: readonly (keyof S & string)[],
  limits: ListLimits = {},
) {
  return limited(item, limits)
    .refine(
      (list) => {
        const seen = new Set(
          list.map((element) => JSON.stringify(keys.map((key) => Reflect.get(element, key)))),
        );
        return seen.size === list.length;
      },
      `two elements have the same ${keys.join(", ")}`,
    )
    .meta({ "x-kubernetes-list-map-keys": keys, "x-kubernetes-list-type": "map" });
}

/** A rule in CEL that the API server evaluates; with `oldSelf` only on updates. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
  /** Kind of the refusal. Default `FieldValueInvalid`. */
  readonly reason?: "FieldValueRequired" | "FieldValueForbidden";
  /** Path below the value that the refusal names, such as `.selector`. */
  readonly fieldPath?: string;
}

/** Returns CEL rules of a schema, for `.meta()`. The zod check does not evaluate them: the API server does. */
export function validations(...rules: readonly Validation[]) {
  return { "x-kubernetes-validations": rules };
}

/** The argument of `.meta()` for a field that cannot be changed. */
export const IMMUTABLE = validations({
  rule: "self == oldSelf",
  message: "field is immutable",
  reason: "FieldValueForbidden",
});

/** Labels and annotations that an object hands on to what is made from it. */
export const templateMetadataSchema = () =>
  notEmpty({
    labels: labelsSchema().describe("Labels of what is made from this template.").optional(),
    annotations: stringMap().describe("Annotations of what is made from this template.").optional(),
  }).describe("Labels and annotations of what is made from this template.");

/** Reference to a provider object in the referrer's namespace; the version comes from the CRD's contract labels. */
export const contractReferenceSchema = () =>
  z.object({
    apiGroup: dnsSubdomain().describe(
      "API group of the provider object. Its version is found through the contract labels of its CustomResourceDefinition.",
    ),
    kind: kindName().describe("Kind of the provider object."),
    name: dnsSubdomain().describe("Name of the provider object, which is in the same namespace."),
  });

const selectorRequirementSchema = () =>
  z.object({
    key: text(1, 317, TAINT_KEY).describe("Key of the label."),
    operator: z.string().describe("In, NotIn, Exists or DoesNotExist."),
    values: atomicList(text(0, 63, LABEL_VALUE))
      .optional()
      .describe("Values for In and NotIn; none for the others."),
  });

/** The rule of a selector for its operators. In a list of selectors it would cost more than a rule may. */
export const EXPRESSIONS: Validation = {
  rule: "!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In','NotIn']) ? (has(e.values) && size(e.values) > 0) : (e.operator in ['Exists','DoesNotExist'] && (!has(e.values) || size(e.values) == 0)))",
  message: "each expression must be In or NotIn with values, or Exists or DoesNotExist without values",
  fieldPath: ".matchExpressions",
};

/** Labels as Kubernetes takes them, as far as a schema sees: what has no greatest length, as a key, no rule can check. */
export const labelsSchema = () => z.record(z.string(), text(0, 63, LABEL_VALUE));

/**
 * Which objects are meant, by their labels; an empty one means all.
 * Differs: keys of `matchLabels` are not checked, here and in labels of templates. Without a greatest length they would
 * cost more than a rule may; upstream's webhook refuses those that no label can have.
 */
export const labelSelectorSchema = () =>
  z
    .object({
      matchLabels: labelsSchema().optional().describe("Labels that the objects have, with these values."),
      matchExpressions: atomicList(selectorRequirementSchema())
        .optional()
        .describe("Requirements on labels; all of them must hold."),
    })
    .meta({ "x-kubernetes-map-type": "atomic" });
export type LabelSelector = Immutable<z.infer<ReturnType<typeof labelSelectorSchema>>>;
