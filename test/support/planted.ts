import type { Kind, KubeObject, OwnerReference } from "../../shared/api/kinds.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** An object to make, with owners by their names in the same plot. */
export interface Seedling {
  readonly kind: Kind;
  readonly name: string;
  /** Default: that of the plot; empty for a cluster-scoped object. */
  readonly namespace?: string;
  readonly owners?: readonly (string | OwnerReference)[];
  readonly metadata?: object;
  readonly status?: object;
  /** Members beside metadata and status, such as `spec` and `data`. */
  readonly content?: { readonly [member: string]: unknown };
}

/** Name of a seedling for owners: `MachinePool/p1`. */
function labelOf({ kind, name }: Seedling): string {
  return `${kind.kind}/${name}`;
}

/**
 * Makes objects that no controller looks at, in this order, with the uids of their owners. Returns them by
 * `Kind/name`. Owners that come later in the list are added at the end, so that a cycle is possible.
 */
export async function plant(
  client: KubeClient,
  namespace: string,
  seedlings: readonly Seedling[],
): Promise<ReadonlyMap<string, KubeObject>> {
  const planted = new Map<string, KubeObject>();
  const later: Seedling[] = [];
  for (const seedling of seedlings) {
    const known = (seedling.owners ?? []).every((owner) => typeof owner !== "string" || planted.has(owner));
    if (!known) later.push(seedling);
    const owners = (seedling.owners ?? []).flatMap((owner) => referenceTo(owner, planted));
    planted.set(labelOf(seedling), await makeOne(client, seedling, { namespace, owners }));
  }
  for (const { kind, name, namespace: own = namespace, owners = [] } of later) {
    const references = owners.flatMap((owner) => referenceTo(owner, planted));
    const patch = [{ op: "add", path: "/metadata/ownerReferences", value: references }] as const;
    await client.jsonPatch(kind, { namespace: own, name }, patch);
  }
  return planted;
}

function referenceTo(
  owner: string | OwnerReference,
  planted: ReadonlyMap<string, KubeObject>,
): readonly OwnerReference[] {
  if (typeof owner !== "string") return [owner];
  const found = planted.get(owner);
  if (found === undefined) return [];
  const { apiVersion, kind, metadata } = found;
  return [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" }];
}

interface Plot {
  readonly namespace: string;
  readonly owners: readonly OwnerReference[];
}

async function makeOne(client: KubeClient, seedling: Seedling, plot: Plot): Promise<KubeObject> {
  const { kind, name, metadata, status, content } = seedling;
  const { namespace = plot.namespace } = seedling;
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const identity = { name, ...(namespace === "" ? {} : { namespace }) };
  const owned = plot.owners.length === 0 ? {} : { ownerReferences: plot.owners };
  const object = {
    apiVersion,
    kind: kind.kind,
    metadata: { ...identity, ...owned, ...metadata },
    ...content,
  };
  const made = await client.create(kind, object as KubeObject);
  if (status === undefined) return made;
  return client.apply(
    kind,
    { namespace, name },
    { apiVersion, kind: kind.kind, metadata: identity, status },
    "status",
  );
}
