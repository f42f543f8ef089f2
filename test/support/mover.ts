import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../shared/api/kinds.ts";
import { ALL_KINDS } from "./all-kinds.ts";
import { copyTo, deleteForMove, type TestManagement } from "./two-managements.ts";

interface Moved {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Kinds with a CRD of Capstan, and Secrets. */
export const MOVED_KINDS: readonly Kind[] = [
  ...ALL_KINDS.filter(({ crd, namespaced }) => crd !== undefined && namespaced),
  Secret as unknown as Kind,
];

/** Everything in a namespace that a move takes. */
export async function objectsIn({ server }: TestManagement, namespace: string): Promise<readonly Moved[]> {
  const client = server.as("mover");
  const lists = await Promise.all(
    MOVED_KINDS.map(async (kind) => {
      const { items } = await client.list(kind, { namespace });
      return items.map((object) => ({ kind, object }));
    }),
  );
  return lists.flat();
}

/** Owners before what they own, as `clusterctl move` has its groups. */
function inOrder(objects: readonly Moved[]): readonly Moved[] {
  const placed: Moved[] = [];
  const uids = new Set<string>();
  let left = objects;
  for (;;) {
    const next = left.filter(({ object }) =>
      (object.metadata.ownerReferences ?? []).every(({ uid }) => uids.has(uid)),
    );
    if (next.length === 0) return placed;
    for (const each of next) uids.add(each.object.metadata.uid ?? "");
    placed.push(...next);
    left = left.filter((each) => !next.includes(each));
  }
}

/** Pauses or unpauses every Cluster of a namespace. */
export async function setPaused(
  { server }: TestManagement,
  namespace: string,
  paused: boolean,
): Promise<void> {
  const client = server.as("mover");
  const { items } = await client.list(Cluster, { namespace });
  const operation = { op: "add", path: "/spec/paused", value: paused } as const;
  for (const cluster of items) await client.jsonPatch(Cluster, objectKeyOf(cluster), [operation]);
}

/**
 * Moves everything of a namespace as `clusterctl move` does: paused, created at the target with owners by their new
 * uids, deleted at the source in the opposite order. It stays paused at the target. `between` runs after the creates.
 */
export async function moveNamespace(
  source: TestManagement,
  target: TestManagement,
  namespace: string,
  between: () => Promise<void> = async () => {},
): Promise<readonly Moved[]> {
  await setPaused(source, namespace, true);
  const moved = inOrder(await objectsIn(source, namespace));
  const uids = new Map<string, string>();
  for (const { kind, object } of moved) {
    const created = await copyTo(target, kind, object, uids);
    uids.set(object.metadata.uid ?? "", created.metadata.uid ?? "");
  }
  await between();
  for (const { kind, object } of moved.toReversed()) await deleteForMove(source, kind, object);
  return moved;
}
