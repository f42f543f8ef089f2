import { type Kind, type KubeObject, objectKeyOf } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import { endOfOwnership } from "../../../shared/runtime/write/field-managers.ts";
import type { ServerClient } from "./verbs.ts";

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

/** Another writer may be faster; one that is faster so often still runs. */
const ATTEMPTS = 5;

/** Which objects; the rest of the kind may belong to another controller that still works. Default: all. */
type Scope = Pick<ListOptions, "namespace" | "labelSelector">;

/**
 * Ends the ownership of field managers that write no more: removes their entries from the managedFields of
 * every object of these kinds in the scope. Fields keep their values; a function then owns what it applies, and fields that it
 * leaves out are removed. Nothing is written to objects without such an entry, so it may run at every start. Returns
 * how many objects were changed. Throws when a manager is still at work on an object.
 */
export async function takeOver(
  client: ServerClient,
  kinds: readonly Kind[],
  managers: ReadonlySet<string>,
  scope: Scope = {},
): Promise<number> {
  let changed = 0;
  for (const kind of kinds) {
    for await (const { items } of pagesOf(client, kind, scope)) {
      for (const object of items) if (await takeOverObject(client, kind, object, managers)) changed += 1;
    }
  }
  return changed;
}

/** Yields the pages of a kind; none for a kind that is not served. */
async function* pagesOf(client: ServerClient, kind: Kind, scope: Scope) {
  try {
    yield* client.pages(kind, scope);
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "TypeNotServed") throw error;
  }
}

async function takeOverObject(
  client: ServerClient,
  kind: Kind,
  found: KubeObject,
  managers: ReadonlySet<string>,
): Promise<boolean> {
  let object: KubeObject | undefined = found;
  for (let attempt = 1; object !== undefined; attempt += 1) {
    const operations = endOfOwnership(object, (manager) => managers.has(manager));
    if (operations.length === 0) return false;
    const version = object.metadata.resourceVersion;
    const guard = { op: "test", path: "/metadata/resourceVersion", value: version } as const;
    try {
      await client.jsonPatch(kind, objectKeyOf(object), [guard, ...operations]);
      return true;
    } catch (error) {
      const lost = error instanceof KubeError && error.class === "Conflict";
      if (!lost || attempt === ATTEMPTS) throw error;
      object = await client.get(kind, objectKeyOf(object));
    }
  }
  return false;
}
