/** A JSON object that has not been validated. */
type Fields = Readonly<Record<string, unknown>>;

/** Place of a value, for conversions that need it and for their errors. */
export interface Place {
  /** Dotted path in v1beta1: `spec.template.spec.infrastructureRef`. */
  readonly field: string;
  /** Namespace of the object. */
  readonly namespace: string;
}

/** A field that v1beta2 keeps elsewhere or in another form. */
export interface MovedField {
  /** Dotted path in v1beta1. */
  readonly from: string;
  /** Dotted path in v1beta2. */
  readonly to: string;
  /** Converts the value; by default it stays as it is. Throws Error with the field and the problem. */
  readonly as?: (value: unknown, place: Place) => unknown;
}

/**
 * Returns a copy with every field at its new place. All are removed before the first is set, because some
 * change places; an object is removed with its last field.
 */
export function moveFields<T extends object>(object: T, moved: readonly MovedField[], namespace: string): T {
  const taken: { readonly to: string; readonly value: unknown }[] = [];
  let result = object as Fields;
  for (const { from, to, as } of moved) {
    const value = valueAt(result, from.split("."));
    if (value === undefined) continue;
    result = without(result, from.split("."));
    taken.push({ to, value: as ? as(value, { field: from, namespace }) : value });
  }
  for (const { to, value } of taken) result = withValue(result, to.split("."), value);
  return result as T;
}

/**
 * Returns a copy without those of the fields that hold `""`, `0`, `[]` or `{}`, which v1beta1 wrote for
 * absent values; inner ones first.
 */
export function dropEmpty<T extends object>(object: T, fields: readonly string[]): T {
  let result = object as Fields;
  for (const field of fields) {
    if (isEmpty(valueAt(result, field.split(".")))) result = without(result, field.split("."));
  }
  return result as T;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const member of path) value = isFields(value) ? value[member] : undefined;
  return value;
}

function without(object: Fields, [member = "", ...rest]: readonly string[]): Fields {
  const { [member]: inner, ...others } = object;
  if (rest.length === 0 || !isFields(inner)) return others;
  const left = without(inner, rest);
  return Object.keys(left).length === 0 ? others : { ...object, [member]: left };
}

function withValue(object: Fields, [member = "", ...rest]: readonly string[], value: unknown): Fields {
  if (rest.length === 0) return { ...object, [member]: value };
  const inner = object[member];
  return { ...object, [member]: withValue(isFields(inner) ? inner : {}, rest, value) };
}
