import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { type KubeObject, type ObjectKey, objectKeyOf, workloadCluster } from "../../../shared/api/kinds.ts";
import { managementType } from "../../../shared/runtime/management-type.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { inParts } from "./in-parts.ts";
import type { Roster } from "./roster.ts";

export interface SnapshotSources {
  readonly store: Pick<Store, "get" | "each" | "progress" | "signs">;
  readonly clock: Clock;
  readonly roster: Roster;
}

/** Reads all Clusters, or those that are named; returns why what was read may not be all. */
export type ReadSnapshots = (names: "all" | ReadonlySet<string>) => Promise<string | undefined>;

const CLUSTERS = managementType(Cluster);
const CONNECTIONS = managementType(Connection);

/** Holds few objects at a time, however many there are, and lets others have their turns (W-206). */
export function createSnapshotReader({ store, clock, roster }: SnapshotSources): ReadSnapshots {
  const take = async (cluster: KubeObject): Promise<void> => {
    const connection = await store.get(CONNECTIONS, objectKeyOf(cluster));
    roster.set(clusterFacts(cluster as Cluster, connection as Connection | undefined, clock.now()));
  };
  const readAll = async (): Promise<void> => {
    const gone = new Set(roster.names());
    await inParts(store.each(CLUSTERS), clock, async (cluster) => {
      gone.delete(workloadCluster(objectKeyOf(cluster)));
      await take(cluster);
    });
    for (const name of gone) roster.delete(name);
  };
  const readOne = async (name: string): Promise<void> => {
    const cluster = await store.get(CLUSTERS, keyOf(name));
    if (cluster === undefined) roster.delete(name);
    else await take(cluster);
  };
  return async (names) => {
    if (names === "all") await readAll();
    else await inParts(names, clock, readOne);
    const { ready, refusal } = await store.progress(CLUSTERS);
    return ready ? undefined : (refusal ?? "the relay has not listed all of them yet");
  };
}

function keyOf(name: string): ObjectKey {
  const [namespace = "", ...rest] = name.split("/");
  return { namespace, name: rest.join("/") };
}
