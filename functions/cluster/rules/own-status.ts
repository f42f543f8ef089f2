import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { present } from "../../../shared/rules/status/present.ts";
import { storedCounters } from "./counters.ts";

/** Condition types that `cluster-status` writes; all others belong to other controllers. */
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
