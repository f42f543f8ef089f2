import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection } from "../../../shared/api/core.ts";
import { type KubeObject, type ObjectKey, objectKeyOf, workloadCluster } from "../../../shared/api/kinds.ts";
import { managementType } from "../../../shared/runtime/management-type.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { createTimeSlices } from "../../kube/time-slices.ts";
import { clusterFacts } from "./cluster-facts.ts";
import { inParts } from "./in-parts.ts";
import type { Roster } from "./roster.ts";

export interface SnapshotSources {
  readonly store: Pick<Store, "get" | "each" | "progress">;
  readonly clock: Clock;
  readonly roster: Roster;
}

/** Reads all Clusters, or those that are named; returns why what was read may not be all. */
export type ReadSnapshots = (names: "all" | ReadonlySet<string>) => Promise<string | undefined>;

const CLUSTERS = managementType(Cluster);
const CONNECTIONS = managementType(Connection);

/** Holds one Cluster at a time and all Connections, however many there are, and lets others have their turns (W-206). */
export function createSnapshotReader({ store, clock, roster }: SnapshotSources): ReadSnapshots {
  const take = (cluster: KubeObject, connection: KubeObject | undefined): void =>
    roster.set(clusterFacts(cluster as Cluster, connection as Connection | undefined, clock.now()));
  const readAll = async (): Promise<void> => {
    const turn = createTimeSlices(clock);
    const gone = new Set(roster.names());
    const connections = new Map<string, KubeObject>();
    for await (const one of store.each(CONNECTIONS)) {
      connections.set(workloadCluster(objectKeyOf(one)), one);
      await turn();
    }
    for await (const cluster of store.each(CLUSTERS)) {
      const name = workloadCluster(objectKeyOf(cluster));
      gone.delete(name);
      take(cluster, connections.get(name));
      await turn();
    }
    for (const name of gone) roster.delete(name);
  };
  const readOne = async (name: string): Promise<void> => {
    const key = keyOf(name);
    const [cluster, connection] = await Promise.all([store.get(CLUSTERS, key), store.get(CONNECTIONS, key)]);
    if (cluster === undefined) roster.delete(name);
    else take(cluster, connection);
  };
  return async (names) => {
    if (names === "all") await readAll();
    else await inParts([...names], clock, readOne);
    const { ready } = await store.progress(CLUSTERS);
    return ready ? undefined : "the relay has not listed all of them yet";
  };
}

function keyOf(name: string): ObjectKey {
  const [namespace = "", ...rest] = name.split("/");
  return { namespace, name: rest.join("/") };
}
