type TrimDot<P extends string> = P extends `.${infer R}` ? R : P;
type Name<P extends string> = P extends `${infer A}.${string}`
  ? A extends `${infer B}[${string}`
    ? B
    : A
  : P extends `${infer B}[${string}`
    ? B
    : P;
type Element<T> = T extends readonly (infer E)[]
  ? E
  : T extends { readonly [key: string]: infer V }
    ? V
    : never;

/**
 * The type at a field path of `T`; `never` when there is no such field.
 *
 * Paths are Kubernetes spellings: `spec.providerID`, `status.conditions[Ready].status`,
 * `metadata.labels[cluster.x-k8s.io/cluster-name]`. Brackets enter lists by their merge key (`type`, `name`
 * or
 * `uid`) and maps by key.
 */
export type At<T, P extends string> = P extends ""
  ? T
  : P extends `[${string}]${infer R}`
    ? At<Element<NonNullable<T>>, TrimDot<R>>
    : Name<P> extends infer N extends string
      ? N extends keyof NonNullable<T>
        ? P extends `${N}${infer R}`
          ? At<NonNullable<T>[N], TrimDot<R>>
          : never
        : never
      : never;

/** `P` itself, or a text that explains the compile error. */
export type FieldPath<T, P extends string> = [At<T, P>] extends [never] ? `there is no field ${P}` : P;

const SEGMENT = /([^.[\]]+)|\[([^\]]*)\]/g;
const MERGE_KEYS = ["type", "name", "uid", "key"] as const;
const parsed = new Map<string, readonly string[]>();

/** Returns the parts of a path: `metadata.labels[a.b]` → `metadata`, `labels`, `a.b`. */
export function segmentsOf(path: string): readonly string[] {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const segments = [...path.matchAll(SEGMENT)].map((match) => match[1] ?? match[2] ?? "");
  parsed.set(path, segments);
  return segments;
}

function enter(value: unknown, segment: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.hasOwn(value, segment) ? Reflect.get(value, segment) : undefined;
  return value.find((element) => isNamed(element, segment));
}

/** Matches by name without a function for each element: every event passes here a hundred times. */
function isNamed(element: unknown, name: string): boolean {
  if (typeof element !== "object" || element === null) return false;
  for (const key of MERGE_KEYS) if (Reflect.get(element, key) === name) return true;
  return false;
}

/** Returns the name by which a path enters an element of a list; undefined for one without. */
export function mergeKeyOf(element: unknown): string | undefined {
  if (typeof element !== "object" || element === null) return undefined;
  for (const key of MERGE_KEYS) {
    const name: unknown = Reflect.get(element, key);
    if (typeof name === "string") return name;
  }
  return undefined;
}

/** Returns the value at a path (see `At`), `undefined` when any part of it is missing. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const segment of segmentsOf(path)) value = enter(value, segment);
  return value;
}

/** Returns the text at a path; empty where it is missing or of another type. */
export function textAt(object: unknown, path: string): string {
  const found = valueAt(object, path);
  return typeof found === "string" ? found : "";
}

/** Returns the list at a path; empty where it is missing or of another type. */
export function listAt(object: unknown, path: string): readonly unknown[] {
  const found = valueAt(object, path);
  return Array.isArray(found) ? found : [];
}

/**
 * Returns the JSON pointer (RFC 6901) of a path without list brackets: `spec.template.spec` →
 * `/spec/template/spec`.
 */
export function pointerOf(path: string): string {
  return segmentsOf(path)
    .map((segment) => `/${escapePointer(segment)}`)
    .join("");
}

/** Returns whether two JSON values are deeply equal; `undefined` members count as absent, key order does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b);
  let surplus = 0;
  for (const key of Object.keys(a)) {
    const value: unknown = Reflect.get(a, key);
    if (value === undefined) continue;
    if (!Object.hasOwn(b, key) || !sameJson(value, Reflect.get(b, key))) return false;
    surplus += 1;
  }
  for (const key of Object.keys(b)) if (Reflect.get(b, key) !== undefined) surplus -= 1;
  return surplus === 0;
}

function sameList(a: object, b: object): boolean {
  return (
    Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((value, index) => sameJson(value, b[index]))
  );
}

/** One segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the segments of a JSON pointer (RFC 6901), the empty one in front of its first slash left out. */
export function pointerSegments(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
