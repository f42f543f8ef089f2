import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { Connection } from "../../../shared/api/core.ts";
import type { DeletionStage } from "./deletion.ts";
import type { ClusterProviders } from "./providers.ts";

/** Everything that the status of a Cluster is a projection of. */
export interface ClusterView extends ClusterProviders {
  readonly cluster: Cluster;
  /** MachinePools and whatever else counts as workers. */
  readonly workers: readonly Workers[];
  /** A control plane Machine has a nodeRef; only asked without controlPlaneRef. */
  readonly controlPlaneHasNode: boolean;
  readonly connection: Connection | undefined;
  /** Cluster API's topology controller may run here (`readTopologyRuns`). */
  readonly topologyRuns: boolean;
  /** Where the deletion stands; `undefined` while the Cluster lives. */
  readonly deletion: DeletionStage | undefined;
  /** No sibling has anything left to write: `observedGeneration` may move. */
  readonly settled: boolean;
  readonly now: Date;
}
