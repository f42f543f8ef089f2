import { Namespace } from "../../../../shared/api/core.ts";
import { coreOwnersOf } from "../../../../shared/contract/rules/probe/keeping.ts";
import type { Snapshot } from "../../../../shared/contract/rules/probe/subject.ts";
import { look, remove, removeProven, type Scratch } from "./scratch.ts";
import { clustersIn } from "./views.ts";
import { lookUntil } from "./watcher.ts";

/** Objects that stay, by title, with their finalizers. */
export interface Left {
  /** The objects left once the Cluster was gone, or the limit over. */
  readonly withCluster: ReadonlyMap<string, readonly string[]>;
  /** The objects left at the end. */
  readonly atEnd: ReadonlyMap<string, readonly string[]>;
  /** Titles of objects that were there when an owner of core's was gone, with the title of that owner. */
  readonly outlived: ReadonlyMap<string, string>;
}

/**
 * Deletes the Clusters of the namespace, then everything else in it, then the namespace itself. Touches nothing where the
 * namespace is not the one with `uid`. Waits for the Clusters, for the rest and for the namespace `limitMs` each.
 */
export async function cleanUp(scratch: Scratch, uid: string, limitMs: number): Promise<Left> {
  const { client, clock } = scratch;
  const namespace = { namespace: "", name: scratch.namespace };
  const readNamespace = () => client.get(Namespace, namespace);
  if ((await readNamespace())?.metadata.uid !== uid) {
    throw new Error(`Namespace ${scratch.namespace} is not the one that the probe made; look what is in it`);
  }
  const lookHere = () => look(scratch);
  const { outlived, note } = createOutlived();
  const first = await lookHere();
  for (const cluster of clustersIn(first)) await remove(scratch, cluster);
  const isGone = (snapshot: Snapshot): boolean => {
    note(snapshot);
    return clustersIn(snapshot).length === 0 && going(snapshot).size === 0;
  };
  const deleted = await lookUntil(lookHere, isGone, { clock, limitMs });
  const withCluster = going(deleted.last);
  for (const object of (await lookHere()).values()) await remove(scratch, object);
  const isEmpty = (snapshot: Snapshot): boolean => snapshot.size === 0;
  const { last } = await lookUntil(lookHere, isEmpty, { clock, limitMs: deleted.seen ? limitMs : 0 });
  const atEnd = new Map(
    [...last].map(([title, { metadata }]) => [title, metadata.finalizers ?? []] as const),
  );
  await removeProven(readNamespace, (proof) => client.delete(Namespace, namespace, proof), uid);
  if (atEnd.size > 0) return { withCluster, atEnd, outlived };
  const { seen } = await lookUntil(readNamespace, (read) => read?.metadata.uid !== uid, { clock, limitMs });
  return { withCluster, atEnd: seen ? atEnd : new Map([[`Namespace ${namespace.name}`, []]]), outlived };
}

/**
 * Compares each look with the one before. `outlived` has the titles of objects that are still there in the look after one
 * without an owner that core had given to them, with the title of that owner. Kinds are listed at slightly different
 * times: one look alone proves nothing.
 */
export function createOutlived(): {
  readonly outlived: ReadonlyMap<string, string>;
  readonly note: (snapshot: Snapshot) => void;
} {
  const outlived = new Map<string, string>();
  let former: Snapshot = new Map();
  return {
    outlived,
    note(snapshot) {
      for (const [title, object] of snapshot) {
        if (former.get(title)?.metadata.uid !== object.metadata.uid) continue;
        const gone = coreOwnersOf(object).find(
          ({ kind, name, uid }) => former.get(`${kind} ${name}`)?.metadata.uid !== uid,
        );
        if (gone !== undefined) outlived.set(title, `${gone.kind} ${gone.name}`);
      }
      former = snapshot;
    },
  };
}

/** Objects that are being deleted. */
function going(snapshot: Snapshot): ReadonlyMap<string, readonly string[]> {
  const found = [...snapshot].filter(([, { metadata }]) => metadata.deletionTimestamp !== undefined);
  return new Map(found.map(([title, { metadata }]) => [title, metadata.finalizers ?? []]));
}
