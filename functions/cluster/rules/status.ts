import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { infraClusterPath } from "../../../shared/contract/infra-cluster.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { topologyNotices } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import { connectionReport } from "../../../shared/rules/workload/connection.ts";
import { ownObject } from "./adoption.ts";
import { clusterConditions } from "./conditions.ts";
import { controlPlaneCounters, workerCounters } from "./counters.ts";
import { clusterDeprecatedConditions } from "./deprecated-conditions.ts";
import { type FailureDomains, failureDomainsOf } from "./failure-domains.ts";
import { clusterFailure } from "./failures.ts";
import { isControlPlaneInitialized, isInfrastructureProvisioned } from "./latches.ts";
import { present } from "./own-status.ts";
import { clusterPhase } from "./phase.ts";
import type { ClusterView } from "./view.ts";

export interface ClusterReport {
  readonly status: ClusterStatus;
  readonly events: readonly Notice[];
  /** When a clock alone changes the status; `undefined`: never. */
  readonly expiresInMs: number | undefined;
}

/**
 * The complete status of a Cluster that is not paused. Latches, failures, kept counters and a True
 * `ControlPlaneInitialized` are carried on when their source no longer says so.
 * Source: cluster-and-controlplane.md 3 to 6
 */
export function clusterReport(view: ClusterView): ClusterReport {
  const { cluster, infrastructure, controlPlane, now } = view;
  const provisioned = isInfrastructureProvisioned(cluster, infrastructure);
  const initialized = isControlPlaneInitialized(cluster, controlPlane);
  const domains = clusterFailureDomains(view, provisioned);
  const { condition: connection, events, expiresInMs } = connectionReport(cluster, view.connection, now);
  const conditions = clusterConditions(view, { provisioned, initialized, domains, connection });
  const status: ClusterStatus = {
    phase: clusterPhase(cluster, provisioned),
    ...present("observedGeneration", observedGeneration(view)),
    ...present("initialization", initialization(provisioned, initialized)),
    ...present("failureDomains", domains.state === "read" ? domains.domains : cluster.status?.failureDomains),
    ...present("controlPlane", controlPlaneCounters(cluster, controlPlane)),
    ...present("workers", workerCounters(view.workers)),
    conditions,
    deprecated: {
      v1beta1: {
        ...clusterFailure(cluster, view),
        conditions: clusterDeprecatedConditions(cluster, view, hasInitialized(conditions), now),
      },
    },
  };
  const notices = [
    ...clusterNotices(cluster.metadata.name, cluster.status, status),
    ...events,
    ...topologyNotices(cluster, view.topologyRuns),
    ...referenceNotices(cluster, [infrastructure, controlPlane]),
  ];
  return { status, events: notices, expiresInMs };
}

/** Never an empty object, and never a latch that is not set. */
function initialization(provisioned: boolean, initialized: boolean): ClusterStatus["initialization"] {
  if (!provisioned && !initialized) return undefined;
  return {
    ...(provisioned ? { infrastructureProvisioned: true } : {}),
    ...(initialized ? { controlPlaneInitialized: true } : {}),
  };
}

/** Moves only when no write to spec, finalizer or owner references is outstanding; absent, never 0. */
function observedGeneration({ cluster, settled }: ClusterView): number | undefined {
  return settled ? cluster.metadata.generation : cluster.status?.observedGeneration;
}

/** Read once the infra object is provisioned; until then, and while it cannot be read, the list stays. */
function clusterFailureDomains(
  { cluster, infrastructure }: ClusterView,
  provisioned: boolean,
): FailureDomains {
  const owned = ownObject(cluster, infrastructure);
  if (owned === undefined || !provisioned || isDeleting(owned.object)) {
    return { state: "read", domains: cluster.status?.failureDomains };
  }
  const { object, contract } = owned;
  return failureDomainsOf(valueAt(object, infraClusterPath(contract, "failureDomains")), contract);
}

function hasInitialized(conditions: ClusterStatus["conditions"]): boolean {
  return conditionOf(conditions, "ControlPlaneInitialized")?.status === "True";
}

/**
 * Both latches are set, so nobody waits for this status any more. Without a controlPlaneRef the second is the
 * condition. Source: cluster-functions.md 6
 */
export function isBroughtUp(status: ClusterStatus): boolean {
  const { infrastructureProvisioned, controlPlaneInitialized } = status.initialization ?? {};
  return (
    infrastructureProvisioned === true &&
    (controlPlaneInitialized === true || hasInitialized(status.conditions))
  );
}

/** What people shall read in the Events of the Cluster: a latch that fell, a phase that changed. */
export function clusterNotices(
  name: string,
  before: ClusterStatus | undefined,
  after: ClusterStatus,
): readonly Notice[] {
  const latches = [
    ["infrastructureProvisioned", "InfrastructureReady", `Infrastructure of Cluster ${name} is provisioned`],
    ["controlPlaneInitialized", "ControlPlaneInitialized", `Control plane of Cluster ${name} is initialized`],
  ] as const;
  const fallen = latches.filter(
    ([latch]) => after.initialization?.[latch] === true && before?.initialization?.[latch] !== true,
  );
  const phase = after.phase ?? "Pending";
  return [
    ...fallen.map(([, reason, message]) => normal(reason, message)),
    ...(before?.phase === phase ? [] : [normal(phase, `Cluster ${name} is ${phase}`)]),
  ];
}

function normal(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}
