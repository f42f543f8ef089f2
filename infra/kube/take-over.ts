import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { objectKeyOf } from "../../shared/api/kinds.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { ListOptions } from "../../shared/function/reads.ts";
import type { ServerClient } from "./verbs.ts";

/** Another writer may be faster; one that is faster so often still runs. */
const ATTEMPTS = 5;

interface Entry {
  readonly manager?: string;
}

/** Which objects; the rest of the kind may belong to another controller that still works. Default: all. */
type Scope = Pick<ListOptions, "namespace" | "labelSelector">;

/**
 * Ends the ownership of field managers that write no more (KW-07): removes their entries from the managedFields of
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

/**
 * Operations that remove the entries of managers that are gone from an object that carries its managedFields; none without such
 * an entry. They need a guard of the resourceVersion: entries are named by their position.
 */
export function endOfOwnership(
  object: KubeObject,
  isGone: (manager: string) => boolean,
): readonly PatchOperation[] {
  const { metadata } = object;
  const entries: readonly Entry[] = Reflect.get(metadata, "managedFields") ?? [];
  const theirs = [...entries.keys()].filter((index) => isGone(entries[index]?.manager ?? ""));
  if (theirs.length === 0) return [];
  const path = "/metadata/managedFields";
  if (theirs.length === entries.length) return [{ op: "replace", path, value: [placeholder(object)] }];
  return theirs.toReversed().map((index) => ({ op: "remove", path: `${path}/${index}` }));
}

/**
 * Returns the only entry of an object whose managers are all gone. Without any entry the API server would add its own
 * at the next apply (`before-first-apply`), which holds every field for ever. This one holds a label that no function
 * ever gives up.
 */
function placeholder({ apiVersion }: KubeObject) {
  const fieldsV1 = { "f:metadata": { "f:labels": { "f:cluster.x-k8s.io/cluster-name": {} } } };
  return { manager: "capstan-take-over", operation: "Update", apiVersion, fieldsType: "FieldsV1", fieldsV1 };
}
