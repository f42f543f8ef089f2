import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import { endOfOwnership } from "../../../shared/runtime/write/field-managers.ts";
import type { ServerClient } from "./verbs.ts";

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
