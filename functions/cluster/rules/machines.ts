import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Workers } from "../../../shared/api/cluster/workers.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { conditionOf, type DesiredCondition } from "../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import {
  machinesReady,
  machinesUpToDate,
  remediating,
  withUpToDateReported,
} from "../../../shared/rules/machines/machine-conditions.ts";
import { MACHINE_VERSION_FIELDS, versionOfMachine } from "../../../shared/rules/machines/machine-version.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { isOwnedByName } from "./adoption.ts";

/** The fields of a Machine that decide whether and where it counts. */
export const MEMBERSHIP_FIELDS = [
  ...ADOPTED_FIELDS,
  "metadata.labels[cluster.x-k8s.io/control-plane]",
  "metadata.labels[cluster.x-k8s.io/pool-name]",
] as const;
/** The fields of a Machine that its Cluster counts and whose conditions it merges. */
export const COUNTED_FIELDS = [
  ...MACHINE_VERSION_FIELDS,
  "status.conditions[Ready].status",
  "status.conditions[Available].status",
  "status.conditions[UpToDate].status",
  "status.conditions[HealthCheckSucceeded].status",
  "status.conditions[OwnerRemediated].status",
] as const;

/** The Machines of a Cluster that belong to no pool. */
export interface ClusterMachines {
  readonly controlPlane: readonly Machine[];
  readonly workers: readonly Machine[];
}

export function clusterMachines(machines: readonly Machine[]): ClusterMachines {
  return {
    controlPlane: machines.filter(isControlPlaneMachine),
    workers: machines.filter((machine) => !isControlPlaneMachine(machine)),
  };
}

/** Whether the control plane has a Node: without a control plane object it is initialized then. */
export function hasControlPlaneNode({ controlPlane }: ClusterMachines): boolean {
  return controlPlane.some(({ status }) => status?.nodeRef !== undefined);
}

/** The worker Machines that the Cluster owns itself, each counted as workers with one replica. */
export function countedMachines(cluster: Cluster, { workers }: ClusterMachines): readonly Workers[] {
  return workers.filter((machine) => isOwnedByName(machine, cluster)).map(asWorkers);
}

/** A Machine as workers with one replica; what it is not counts as not reported. */
export function asWorkers(machine: Machine): Workers {
  const { apiVersion, kind, metadata, status } = machine;
  const one = (type: string) => (conditionOf(status?.conditions, type)?.status === "True" ? 1 : undefined);
  const version = versionOfMachine(machine);
  return {
    apiVersion,
    kind,
    metadata,
    spec: { replicas: 1 },
    status: {
      replicas: 1,
      readyReplicas: one("Ready"),
      availableReplicas: one("Available"),
      upToDateReplicas: one("UpToDate"),
      versions: version === undefined ? [] : [{ version, replicas: 1 }],
    },
  };
}

/** The conditions that Machines feed. */
export function machineConditions(
  { controlPlane, workers }: ClusterMachines,
  now: Date,
): readonly DesiredCondition[] {
  return [
    machinesReady("ControlPlaneMachinesReady", controlPlane),
    machinesUpToDate("ControlPlaneMachinesUpToDate", withUpToDateReported(controlPlane, now)),
    machinesReady("WorkerMachinesReady", workers),
    machinesUpToDate("WorkerMachinesUpToDate", withUpToDateReported(workers, now)),
    remediating([...controlPlane, ...workers]),
  ];
}
