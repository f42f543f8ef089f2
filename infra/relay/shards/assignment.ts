import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { type KubeObject, MANAGEMENT, objectKeyOf } from "../../../shared/api/kinds.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import type { Connections } from "../workload/connections.ts";
import { nameOf } from "./cluster-watch.ts";

/** Keeps the connections of a relay to those Clusters that belong to its shard. */
export interface Assignment extends Disposable {
  /** A Cluster came, changed or went. */
  changed(change: Change): void;
  /** Shards came or went: takes and releases what has changed hands among these Clusters. */
  reassign(clusters: Iterable<KubeObject>): void;
}

interface AssignmentOptions {
  readonly clock: Clock;
  readonly connections: Pick<Connections, "clusterChanged" | "release">;
  /** Whether the Cluster with this uid belongs to the shard of this relay; false while that is not known. */
  readonly belongs: (uid: string) => boolean;
}

/** A lost relay leaves a thousand Clusters at once: 250 connections a second begin, however slowly servers answer. */
const STARTS_AT_ONCE = 25;
const PAUSE_MS = 100;

export function createAssignment({ clock, connections, belongs }: AssignmentOptions): Assignment {
  /** Names of Clusters whose connections have begun. */
  const followed = new Set<string>();
  const waiting = new Map<string, KubeObject>();
  let cancel: (() => void) | undefined;

  const startSome = (): void => {
    const batch = [...waiting].slice(0, STARTS_AT_ONCE);
    cancel = batch.length === 0 ? undefined : clock.after(PAUSE_MS, startSome);
    for (const [name, after] of batch) {
      waiting.delete(name);
      followed.add(name);
      connections.clusterChanged({ kind: Cluster, cluster: MANAGEMENT, after });
    }
  };
  const take = (object: KubeObject): void => {
    waiting.set(nameOf(object), object);
    if (cancel === undefined) startSome();
  };
  const isMine = ({ metadata: { uid = "" } }: KubeObject): boolean => belongs(uid);

  return {
    changed(change) {
      const object = change.after ?? change.before;
      if (object === undefined || !isMine(object)) return;
      const name = nameOf(object);
      if (change.after !== undefined && !followed.has(name)) return take(change.after);
      if (change.after === undefined) {
        waiting.delete(name);
        followed.delete(name);
      }
      connections.clusterChanged(change);
    },
    reassign(clusters) {
      for (const object of clusters) {
        const name = nameOf(object);
        const isTaken = followed.has(name) || waiting.has(name);
        if (isMine(object) === isTaken) continue;
        if (!isTaken) take(object);
        else if (!waiting.delete(name) && followed.delete(name)) connections.release(objectKeyOf(object));
      }
    },
    [Symbol.dispose]() {
      cancel?.();
      waiting.clear();
    },
  };
}
