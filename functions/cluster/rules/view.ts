import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import { Connection } from "../../../shared/api/core.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { infraClusterPath } from "../../../shared/contract/infra-cluster.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { readTopologyRuns } from "../../../shared/rules/coexistence/topology.ts";
import { upToDateExpiresInMs } from "../../../shared/rules/machines/machine-conditions.ts";
import { type ConnectionReport, connectionReport } from "../../../shared/rules/workload/connection.ts";
import { ownObject } from "./adoption.ts";
import { clusterDeletion, type DeletionStage } from "./deletion.ts";
import { countedWorkers } from "./descendants.ts";
import { type FailureDomains, failureDomainsOf } from "./failure-domains.ts";
import { isControlPlaneInitialized, isInfrastructureProvisioned } from "./latches.ts";
import { type ClusterMachines, clusterMachines } from "./machines.ts";
import type { ClusterProviders } from "./providers.ts";
import { readDescendants, readMachines, readProvidersToDelete } from "./reads.ts";
import { clusterWritesDue } from "./writes-due.ts";

/** Reads for the status of a Cluster. */
export interface ClusterFacts {
  readonly cluster: Cluster;
  readonly providers: ClusterProviders;
  /** MachinePools, MachineDeployments and the MachineSets that count for themselves. */
  readonly workers: readonly Workers[];
  /** Machines that belong to no pool. */
  readonly machines: ClusterMachines;
  readonly connection: Connection | undefined;
  /** Cluster API's topology controller may run here (`readTopologyRuns`). */
  readonly topologyRuns: boolean;
  /** Where the deletion stands; `undefined` while the Cluster lives. */
  readonly deletion: DeletionStage | undefined;
  readonly now: Date;
}

/** The facts and what they mean: everything that the status of a Cluster is computed from. */
export interface ClusterView extends ClusterFacts {
  /** The latch `infrastructureProvisioned` as it is from now on. */
  readonly provisioned: boolean;
  /** The latch `controlPlaneInitialized` as it is from now on. */
  readonly initialized: boolean;
  readonly domains: FailureDomains;
  readonly probe: ConnectionReport;
  /** When the youngest Machine has had its time to report `UpToDate`. */
  readonly upToDateExpiresInMs: number | undefined;
  /** No sibling has anything left to write: `observedGeneration` may move. */
  readonly settled: boolean;
}

export function clusterView(facts: ClusterFacts): ClusterView {
  const { cluster, providers, machines, connection, now } = facts;
  const provisioned = isInfrastructureProvisioned(cluster, providers.infrastructure);
  return {
    ...facts,
    provisioned,
    initialized: isControlPlaneInitialized(cluster, providers.controlPlane),
    domains: failureDomains(facts, provisioned),
    probe: connectionReport(cluster, connection, now),
    upToDateExpiresInMs: upToDateExpiresInMs([...machines.controlPlane, ...machines.workers], now),
    settled: !clusterWritesDue(cluster, providers),
  };
}

/** Reads the rest of the view of a Cluster that is not paused; `providers` are those of `readProviders`. */
export async function readView(
  { read, now }: StepContext,
  cluster: Cluster,
  providers: ClusterProviders,
): Promise<ClusterView> {
  const descendants = await readDescendants(read, cluster);
  const topologyRuns = await readTopologyRuns(read, cluster);
  return clusterView({
    cluster,
    providers,
    workers: countedWorkers(cluster, descendants),
    machines: clusterMachines(await readMachines(read, cluster)),
    connection: await read.get(Connection, objectKeyOf(cluster)),
    topologyRuns,
    deletion: isDeleting(cluster)
      ? clusterDeletion(cluster, descendants, {
          ...(await readProvidersToDelete(read, cluster)),
          topologyRuns,
        })
      : undefined,
    now,
  });
}

/** Reads the domains once the infra object is provisioned; until then, and while it cannot be read, the list stays. */
function failureDomains({ cluster, providers }: ClusterFacts, provisioned: boolean): FailureDomains {
  const own = ownObject(cluster, providers.infrastructure);
  if (own === undefined || !provisioned || isDeleting(own.object)) {
    return { state: "read", domains: cluster.status?.failureDomains };
  }
  const path = infraClusterPath(own.contract, "failureDomains");
  return failureDomainsOf(valueAt(own.object, path), own.contract);
}
