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
  /** The fields that move within each element of a list. */
  readonly each?: readonly MovedField[];
}

/** Where a field was, and where v1beta2 has it. */
type Renamed = Pick<MovedField, "from" | "to">;

/**
 * Returns a copy with every field at its new place. All are removed before the first is set, because some
 * change places; an object is removed with its last field.
 */
export function moveFields<T extends object>(object: T, moved: readonly MovedField[], namespace: string): T {
  return moveBelow(object as Fields, moved, { field: "", namespace }) as T;
}

function moveBelow(object: Fields, moved: readonly MovedField[], above: Place): Fields {
  const taken: { readonly to: string; readonly value: unknown }[] = [];
  let result = object;
  for (const { from, to, as, each } of moved) {
    const value = valueAt(result, from.split("."));
    if (value === undefined) continue;
    result = without(result, from.split("."));
    const place = { ...above, field: `${above.field}${from}` };
    const converted = as ? as(value, place) : value;
    taken.push({ to, value: each === undefined ? converted : moveInElements(converted, each, place) });
  }
  for (const { to, value } of taken) result = withValue(result, to.split("."), value);
  return result;
}

/** Anything but a list of objects stays as it is: the API server refuses it by its new place. */
function moveInElements(list: unknown, moved: readonly MovedField[], { field, namespace }: Place): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((element: unknown, index) =>
    isFields(element) ? moveBelow(element, moved, { field: `${field}[${index}].`, namespace }) : element,
  );
}

/**
 * Returns the fields of an object that have another name in v1beta2, each once: a list by its elements, such as
 * `spec.unhealthyConditions[].timeout`.
 */
export function renamedFields(object: object, moved: readonly MovedField[]): readonly Renamed[] {
  return moved.flatMap(({ from, to, each = [] }) => {
    const value = valueAt(object, from.split("."));
    if (value === undefined) return [];
    const elements: readonly unknown[] = Array.isArray(value) ? value : [];
    const inside = each
      .filter((field) => elements.some((element) => valueAt(element, field.from.split(".")) !== undefined))
      .map((field) => ({ from: `${from}[].${field.from}`, to: `${to}[].${field.to}` }));
    return [...(from === to ? [] : [{ from, to }]), ...inside];
  });
}

/** Returns a copy without these fields. */
export function dropFields<T extends object>(object: T, fields: readonly string[]): T {
  return fields.reduce<Fields>((left, field) => without(left, field.split(".")), object as Fields) as T;
}

/**
 * Returns a copy without those of the fields that hold `""`, `0`, `null`, `[]` or `{}`, which v1beta1 wrote for
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
  return value === "" || value === 0 || value === null;
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
