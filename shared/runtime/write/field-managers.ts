import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  /** RFC 3339. */
  readonly time?: string | undefined;
  readonly fieldsV1?: FieldsV1 | undefined;
}

/**
 * Set of fields: `f:<name>` enters a field, `k:{"type":"Ready"}` a list element by its key, `v:"x"` a set element;
 * `.` is the field itself. Source: sigs.k8s.io/structured-merge-diff, fieldpath.
 */
interface FieldsV1 {
  readonly [segment: string]: FieldsV1;
}

/** The manager under which the server keeps, at the first apply, what an object without managedFields has. */
export const FIRST_APPLY = "before-first-apply";

const SEGMENT = /([^.[\]]+)|\[([^\]]*)\]/g;

/**
 * Returns the names of the field managers that hold `path` (spelled as in shared/api/path.ts), sorted. Apply and Update
 * entries of every subresource count: the manager that sets a replica count through `/scale` holds it.
 */
export function fieldManagersAt(entries: readonly ManagedFieldsEntry[], path: string): readonly string[] {
  const segments = [...path.matchAll(SEGMENT)];
  const names = entries.flatMap(({ manager, fieldsV1 }) =>
    manager !== undefined && fieldsV1 !== undefined && holds(fieldsV1, segments) ? [manager] : [],
  );
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

function holds(fields: FieldsV1, segments: readonly RegExpExecArray[]): boolean {
  let at: FieldsV1 | undefined = fields;
  for (const [, name, element] of segments) {
    // Owned as a whole: all that is below.
    if (at !== fields && Object.keys(at).length === 0) return true;
    if (name !== undefined) at = at[`f:${name}`];
    else at = at[`f:${element}`] ?? elementOf(at, element ?? "");
    if (at === undefined) return false;
  }
  return true;
}

function elementOf(fields: FieldsV1, value: string): FieldsV1 | undefined {
  const found = Object.keys(fields).find((segment) => {
    if (segment === `v:${JSON.stringify(value)}`) return true;
    return segment.startsWith("k:") && keyValues(segment.slice(2)).includes(value);
  });
  return found === undefined ? undefined : fields[found];
}

function keyValues(text: string): readonly unknown[] {
  try {
    return Object.values(JSON.parse(text) as object);
  } catch {
    return [];
  }
}

/** Returns the entries of an object that carries its managedFields. */
export function managedFieldsOf({ metadata }: KubeObject): readonly ManagedFieldsEntry[] {
  const entries: unknown = Reflect.get(metadata, "managedFields");
  return Array.isArray(entries) ? entries : [];
}

/**
 * Operations that remove the entries of managers that are gone from an object that carries its managedFields; none without such
 * an entry. They need a guard of the resourceVersion: entries are named by their position. An object whose managedFields
 * the server has lost is about to be that of `before-first-apply`.
 */
export function endOfOwnership(
  object: KubeObject,
  isGone: (manager: string) => boolean,
): readonly PatchOperation[] {
  if (managedFieldsOf(object).length === 0 && isGone(FIRST_APPLY)) return [placeholder(object)];
  return endOfEntries(object, ({ manager = "" }) => isGone(manager));
}

/** The same for any entries. */
export function endOfEntries(
  object: KubeObject,
  isOver: (entry: ManagedFieldsEntry) => boolean,
): readonly PatchOperation[] {
  const entries = managedFieldsOf(object);
  const theirs = [...entries.keys()].filter((index) => isOver(entries[index] ?? {}));
  if (theirs.length === 0) return [];
  if (theirs.length === entries.length) return [placeholder(object)];
  return theirs.toReversed().map((index) => ({ op: "remove", path: `${MANAGED_FIELDS}/${index}` }));
}

const MANAGED_FIELDS = "/metadata/managedFields";

/**
 * Returns the operation that writes the only entry of an object whose managers are all gone. Without any entry the API
 * server would add its own at the next apply (`before-first-apply`), which holds every field for ever. This one holds a
 * label that no function ever gives up.
 */
function placeholder({ apiVersion }: KubeObject): PatchOperation {
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:cluster.x-k8s.io/cluster-name": {} } } };
  const entry = {
    manager: "capstan-take-over",
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1,
  };
  return { op: "add", path: MANAGED_FIELDS, value: [entry] };
}
