/** One entry of `metadata.managedFields`. */
interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  /** RFC 3339. */
  readonly time?: string;
  readonly fieldsV1?: FieldSet;
}

/**
 * `f:<name>` a field, `k:{…}` a list element by its key, `v:…` a set element, `i:<n>` by position; `.` the field
 * itself.
 */
interface FieldSet {
  readonly [segment: string]: FieldSet;
}

/** The manager of one field, and the time of the last write of the same entry. */
export interface FieldOwner {
  /** Spelled as in shared/api/path.ts: `status.conditions[Ready].status`. */
  readonly field: string;
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** RFC 3339; empty when the server did not say. */
  readonly time: string;
}

/** Returns the managers of every field, sorted by field, then manager. A plain list element is one row. */
export function fieldOwners(managedFields: readonly Entry[]): readonly FieldOwner[] {
  const owners = managedFields.flatMap(({ manager = "", operation = "", time = "", fieldsV1 = {} }) =>
    leavesOf(fieldsV1, "").map((field) => ({ field, manager, operation, time })),
  );
  const textOf = ({ field, manager }: FieldOwner) => `${field} ${manager}`;
  return owners.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function leavesOf(fields: FieldSet, path: string): readonly string[] {
  const inner = Object.entries(fields).filter(([segment]) => segment !== ".");
  if (inner.length === 0) return path === "" ? [] : [path];
  const isElement = path.endsWith("]") && Object.hasOwn(fields, ".");
  if (isElement && inner.every(([, below]) => Object.keys(below).length === 0)) return [path];
  return inner.flatMap(([segment, below]) => leavesOf(below, `${path}${spell(segment, path === "")}`));
}

function spell(segment: string, first: boolean): string {
  const text = segment.slice(2);
  switch (segment.slice(0, 2)) {
    case "f:":
      if (!/^[A-Za-z0-9_-]+$/.test(text)) return `[${text}]`;
      return first ? text : `.${text}`;
    case "k:":
      return `[${keyText(text)}]`;
    case "v:":
      return `[${text.replace(/^"(.*)"$/, "$1")}]`;
    default:
      return `[${text}]`;
  }
}

/** Returns the text of a key: `{"type":"Ready"}` → `Ready`; several members → `port=80,protocol=TCP`. */
function keyText(json: string): string {
  try {
    const members = Object.entries(JSON.parse(json) as object);
    const [only] = members;
    if (members.length === 1 && only !== undefined) return String(only[1]);
    return members.map(([name, value]) => `${name}=${String(value)}`).join(",");
  } catch {
    return json;
  }
}
