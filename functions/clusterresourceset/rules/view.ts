import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import {
  type ClusterResourceSet,
  ClusterResourceSetBinding,
} from "../../../shared/api/clusterresourceset.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";

/** Everything that the status is computed from. */
export interface SetView {
  readonly set: ClusterResourceSet;
  /** The Clusters of its namespace. */
  readonly clusters: readonly Cluster[];
  readonly bindings: readonly ClusterResourceSetBinding[];
  readonly now: Date;
}

/** Reads the view from snapshots. */
export async function readView({ read, now }: StepContext, set: ClusterResourceSet): Promise<SetView> {
  const index = { name: "namespace", values: [objectKeyOf(set).namespace] };
  const [clusters, bindings] = await Promise.all([
    read.list(Cluster, { index }),
    read.list(ClusterResourceSetBinding, { index }),
  ]);
  return { set, clusters, bindings, now };
}
