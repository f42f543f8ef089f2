import type { Cluster, ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../shared/rules/metadata/paused.ts";
import { storedCounters } from "./counters.ts";

/** Condition types that `cluster-status` writes; all others belong to somebody else. */
const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  "Available",
  "ControlPlaneAvailable",
  "ControlPlaneInitialized",
  "ControlPlaneMachinesReady",
  "ControlPlaneMachinesUpToDate",
  "Deleting",
  "InfrastructureReady",
  "Paused",
  "Remediating",
  "RemoteConnectionProbe",
  "RollingOut",
  "ScalingDown",
  "ScalingUp",
  "WorkerMachinesReady",
  "WorkerMachinesUpToDate",
  "WorkersAvailable",
]);

/** The part of a stored status that `cluster-status` writes: no conditions and no upgrade plans of others. */
export function ownStatus(stored: ClusterStatus | undefined): ClusterStatus {
  if (stored === undefined) return {};
  const { conditions, controlPlane, workers, ...rest } = stored;
  return {
    ...rest,
    ...present(
      "conditions",
      conditions?.filter(({ type }) => OWN_CONDITIONS.has(type)),
    ),
    ...present("controlPlane", storedCounters(controlPlane)),
    ...present("workers", storedCounters(workers)),
  };
}

/** Paused: everything as it was, and `Paused`. Source: cluster-and-controlplane.md 3.7 */
export function pausedStatus(cluster: Cluster, now: Date): ClusterStatus {
  const own = ownStatus(cluster.status);
  const paused = pausedCondition(cluster, cluster, cluster.kind);
  return { ...own, conditions: setConditions(own.conditions, [paused], now, cluster.metadata.generation) };
}

/** `{ [name]: value }`, or nothing at all: a member that is `undefined` would still be a member. */
export function present<Name extends string, T>(
  name: Name,
  value: T | undefined,
): { readonly [Key in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]: T });
}
