/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
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
