import { clusterStatus } from "../../../functions/cluster/status.ts";
import type { Cluster, ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { appliedStatus, decide, type World } from "../../support/world.ts";

/** Returns the status that cluster-status applies in this world. */
export async function statusIn(world: World): Promise<ClusterStatus> {
  return appliedStatus<ClusterStatus>(await decide(clusterStatus, world));
}

/** `<status> <reason>` of every condition, by type. */
export function statuses(status: ClusterStatus): object {
  return Object.fromEntries(
    (status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]),
  );
}

export function reported(status: ClusterStatus, type: string): unknown {
  return status.conditions?.find((one) => one.type === type);
}

export function withStatus(object: Cluster, status: ClusterStatus): Cluster {
  return { ...object, status };
}
