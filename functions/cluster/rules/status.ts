import type { Cluster, ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { done, type Result, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";
import { topologyExpiresInMs } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf, setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { awaitedCompletion } from "./completion.ts";
import { clusterConditions } from "./conditions.ts";
import { clusterCounters } from "./counters.ts";
import { clusterDeprecatedConditions } from "./deprecated-conditions.ts";
import { clusterFailure } from "./failures.ts";
import { clusterNotices } from "./notices.ts";
import { ownStatus } from "./own-status.ts";
import { clusterPhase } from "./phase.ts";
import type { ClusterView } from "./view.ts";

/** Returns what is said about a Cluster that is not paused, whether it lives or is being deleted. */
export function clusterReport(view: ClusterView): StatusReport<ClusterStatus> {
  const { probe } = view;
  const status = clusterStatus(view);
  const awaited = awaitedCompletion(view, status);
  return {
    status,
    events: clusterNotices(view, status),
    result: [
      awaited === undefined ? done : waitFor(awaited),
      ...timer(probe.expiresInMs, "grace period of the workload connection"),
      ...timer(topologyTimer(view), "a topology controller may still begin"),
      ...timer(view.upToDateExpiresInMs, "a Machine may still report UpToDate"),
    ].reduce(soonest),
  };
}

/** Returns the rest of the wait for the topology; once it is over, the conditions say so. */
function topologyTimer({ cluster, topologyRuns, now }: ClusterView): number | undefined {
  const ms = topologyExpiresInMs(cluster, topologyRuns, now);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

function timer(ms: number | undefined, why: string): readonly Result[] {
  return ms === undefined ? [] : [requeueAfter(ms, why)];
}

/**
 * Returns the complete status. Latches, failures, kept counters and a True `ControlPlaneInitialized` are carried on when
 * their source no longer says so.
 */
function clusterStatus(view: ClusterView): ClusterStatus {
  const { cluster, providers, domains, now } = view;
  const conditions = clusterConditions(view);
  const initialized = hasInitialized(conditions);
  return {
    phase: clusterPhase(cluster, view.provisioned),
    ...present("observedGeneration", observedGeneration(view)),
    ...present("initialization", initialization(view)),
    ...present("failureDomains", domains.state === "read" ? domains.domains : cluster.status?.failureDomains),
    ...clusterCounters(view),
    conditions,
    deprecated: {
      v1beta1: {
        ...clusterFailure(cluster, providers),
        conditions: clusterDeprecatedConditions(cluster, providers, initialized, now),
      },
    },
  };
}

/** Returns everything as it was, but for `Paused`. */
export function pausedClusterStatus(cluster: Cluster, now: Date): ClusterStatus {
  const own = ownStatus(cluster.status);
  const paused = pausedCondition(cluster, cluster, cluster.kind);
  return { ...own, conditions: setConditions(own.conditions, [paused], now, cluster.metadata.generation) };
}

/** Returns `undefined` rather than an empty object, and never a latch that is not set. */
function initialization({ provisioned, initialized }: ClusterView): ClusterStatus["initialization"] {
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

function hasInitialized(conditions: ClusterStatus["conditions"]): boolean {
  return conditionOf(conditions, "ControlPlaneInitialized")?.status === "True";
}

/**
 * Returns whether both latches are set, so that no other object still waits for this status. Without a
 * controlPlaneRef the second is the condition.
 */
export function isBroughtUp(status: ClusterStatus): boolean {
  const { infrastructureProvisioned, controlPlaneInitialized } = status.initialization ?? {};
  return (
    infrastructureProvisioned === true &&
    (controlPlaneInitialized === true || hasInitialized(status.conditions))
  );
}
