import { setTimeout as sleep } from "node:timers/promises";
import { Namespace } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Snapshot } from "../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { kindIn, look, type Scratch } from "./scratch.ts";
import { clustersIn } from "./views.ts";

const LOOK_MS = 500;
/** Of a delete whose object changes between read and delete. */
const ATTEMPTS = 10;

/** Objects that stay, by title, with their finalizers. */
export interface Left {
  /** Once the Cluster was gone, or the limit over. */
  readonly withCluster: ReadonlyMap<string, readonly string[]>;
  /** At the end. */
  readonly atEnd: ReadonlyMap<string, readonly string[]>;
}

/**
 * Deletes the Clusters of the namespace, then everything else in it, then the namespace itself. Touches nothing where the
 * namespace is not the one with `uid`. Waits for the Clusters and for the rest `limitMs` each.
 */
export async function cleanUp(scratch: Scratch, uid: string, limitMs: number): Promise<Left> {
  const namespace = { namespace: "", name: scratch.namespace };
  if ((await scratch.client.get(Namespace, namespace))?.metadata.uid !== uid) {
    throw new Error(`Namespace ${scratch.namespace} is not the one that the probe made; look what is in it`);
  }
  for (const cluster of clustersIn(await look(scratch))) await remove(scratch, cluster);
  const isGone = (snapshot: Snapshot): boolean =>
    clustersIn(snapshot).length === 0 && going(snapshot).size === 0;
  const withCluster = going(await until(scratch, isGone, limitMs));
  for (const object of (await look(scratch)).values()) await remove(scratch, object);
  const last = await until(scratch, (snapshot) => snapshot.size === 0, withCluster.size > 0 ? 0 : limitMs);
  const atEnd = new Map(
    [...last].map(([title, { metadata }]) => [title, metadata.finalizers ?? []] as const),
  );
  const { client } = scratch;
  await removeProven(
    () => client.get(Namespace, namespace),
    (proof) => client.delete(Namespace, namespace, proof),
    uid,
  );
  return { withCluster, atEnd };
}

/** Objects that are being deleted. */
function going(snapshot: Snapshot): ReadonlyMap<string, readonly string[]> {
  const found = [...snapshot].filter(([, { metadata }]) => metadata.deletionTimestamp !== undefined);
  return new Map(found.map(([title, { metadata }]) => [title, metadata.finalizers ?? []]));
}

async function until(
  scratch: Scratch,
  holds: (snapshot: Snapshot) => boolean,
  limitMs: number,
): Promise<Snapshot> {
  const endsAt = scratch.clock.now().getTime() + limitMs;
  for (;;) {
    const snapshot = await look(scratch);
    if (holds(snapshot) || scratch.clock.now().getTime() >= endsAt) return snapshot;
    await sleep(LOOK_MS);
  }
}

async function remove({ client, namespace, kinds }: Scratch, object: KubeObject): Promise<void> {
  const kind = kindIn(kinds, object);
  const { uid, name } = object.metadata;
  if (kind === undefined || uid === undefined) return;
  const key = { namespace, name };
  await removeProven(
    () => client.get(kind, key),
    (proof) => client.delete(kind, key, proof),
    uid,
  );
}

interface Proof {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Deletes what a live read has just shown, and nothing of another uid. */
async function removeProven(
  read: () => Promise<KubeObject | undefined>,
  erase: (proof: Proof) => Promise<unknown>,
  uid: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const metadata = (await read())?.metadata;
    const { resourceVersion, deletionTimestamp } = metadata ?? {};
    if (metadata?.uid !== uid || resourceVersion === undefined || deletionTimestamp !== undefined) return;
    try {
      await erase({ uid, resourceVersion });
      return;
    } catch (error) {
      if (!(error instanceof KubeError) || error.class !== "Conflict" || attempt >= ATTEMPTS) throw error;
    }
  }
}
