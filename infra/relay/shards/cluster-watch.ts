import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import {
  type Kind,
  type KubeObject,
  MANAGEMENT,
  objectKeyOf,
  workloadCluster,
} from "../../../shared/api/kinds.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import { separate } from "../delivery/delivery.ts";
import { createManagementWatches, type ManagementWatchesOptions } from "../management/management-watches.ts";
import type { WatchConsumer } from "../watch/watch-consumer.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";

/** The Clusters of the management server, as a relay needs them that only connects to their workload servers. */
export interface ClusterWatch extends AsyncDisposable {
  /** The Clusters by the names of their workload servers. */
  readonly clusters: ReadonlyMap<string, KubeObject>;
  /** All of them are known. */
  readonly isListed: boolean;
  readonly loop: Pick<WatchLoop, "status">;
}

export interface ClusterWatchOptions extends ManagementWatchesOptions {
  /** Called with each change after it is noted. A Cluster with another uid is a deletion and an addition. */
  readonly onChange: (change: Change) => void;
  /** Called after each complete list; `restored`: the server was restored or replaced (KR-12). */
  readonly onListed: (restored: boolean) => void;
}

/** Watches Clusters without storing them: that is the work of the relay that leads. */
export function watchClusters(options: ClusterWatchOptions): ClusterWatch {
  const watches = createManagementWatches(options);
  const reduce = watches.reducerOf(Cluster as Kind);
  const clusters = new Map<string, KubeObject>();
  let isListed = false;
  const change = (name: string, after: KubeObject | undefined): void => {
    const before = clusters.get(name);
    if (after === undefined) clusters.delete(name);
    else clusters.set(name, after);
    for (const one of separate({ before, after }))
      options.onChange({ kind: Cluster, cluster: MANAGEMENT, ...one });
  };
  const consumer: WatchConsumer = {
    reduce,
    async listed(items, { restored }) {
      const listed = new Map(items.map((item) => [nameOf(item), item]));
      for (const name of clusters.keys()) if (!listed.has(name)) change(name, undefined);
      for (const [name, item] of listed) change(name, item);
      isListed = true;
      options.onListed(restored);
    },
    async changed(objects) {
      for (const object of objects) change(nameOf(object), reduce(object));
    },
    async deleted(object) {
      change(nameOf(object), undefined);
    },
  };
  const loop = watches.start(Cluster as Kind, consumer, async () => [...clusters.values()]);
  return {
    clusters,
    get isListed() {
      return isListed;
    },
    loop,
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}

/** Returns the name of the workload server of a Cluster. */
export function nameOf(object: KubeObject): string {
  return workloadCluster(objectKeyOf(object));
}
