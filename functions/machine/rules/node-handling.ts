import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { controlPlanePath, controlPlanePaths } from "../../../shared/contract/control-plane.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";

/** The field of the deleted Machine that `nodeHandling` reads. */
export const HANDLED_FIELDS = ["status.nodeRef"] as const;
/** The fields of its Cluster that `nodeHandling` reads. */
export const HANDLING_CLUSTER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  "spec.controlPlaneRef",
] as const;
/** The fields of the control plane object that `nodeHandling` reads, under every contract. */
export const HANDLING_CONTROL_PLANE_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...controlPlanePaths("externalManagedControlPlane"),
];
/** The fields of control plane Machines that `nodeHandling` reads. */
export const HANDLING_MACHINE_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  "metadata.labels[cluster.x-k8s.io/control-plane]",
] as const;

/** Everything beside the deleted Machine that decides whether its Node is drained and deleted. */
export interface HandlingFacts {
  /** The Cluster; `undefined`: it does not exist. */
  readonly cluster: Cluster | undefined;
  /** The control plane; `undefined`: the Cluster has no `controlPlaneRef`. */
  readonly controlPlane: Referenced | undefined;
  /** Machines of the Cluster with the control plane label, those that are being deleted included. */
  readonly controlPlaneMachines: readonly Machine[];
}

/** Whether the Node of a deleted Machine is drained and deleted, and why not. */
export type NodeHandling =
  | { readonly state: "allowed" }
  | { readonly state: "denied"; readonly by: Denial; readonly message: string }
  /** The control plane object cannot be read: nothing proceeds. */
  | { readonly state: "unknown"; readonly message: string };

/**
 * Reasons of a denial. A Cluster or control plane object that is being deleted stays so, and a snapshot of it is enough. The
 * others can change back, and are read live before they count.
 */
type Denial =
  | "ClusterGone"
  | "ClusterDeleting"
  | "NoNodeRef"
  | "ControlPlaneDeleting"
  | "NoControlPlaneMachine";

/**
 * Whether the Node of a deleted Machine must be drained and deleted: not where the workload cluster goes away with it,
 * or where it never had a Node.
 * Differs: a Cluster with neither `controlPlaneRef` nor control plane Machines has its worker Nodes handled; upstream
 * drops them as they are. A Cluster that is gone denies it; upstream retries for ever.
 */
export function nodeHandling(machine: Machine, facts: HandlingFacts): NodeHandling {
  const { cluster, controlPlane, controlPlaneMachines } = facts;
  if (cluster === undefined) return denied("ClusterGone", "The Cluster does not exist");
  if (isDeleting(cluster)) return denied("ClusterDeleting", "The Cluster is being deleted");
  if (machine.status?.nodeRef === undefined) return denied("NoNodeRef", "The Machine has no Node");
  if (controlPlane?.state === "found") {
    const { object, contract } = controlPlane;
    const name = `${object.kind} ${object.metadata.name}`;
    if (isDeleting(object)) return denied("ControlPlaneDeleting", `${name} is being deleted`);
    if (readBoolean(object, controlPlanePath(contract, "externalManagedControlPlane")).value === true)
      return ALLOWED;
  }
  if (controlPlane?.state === "unresolved" && controlPlane.crdExists) {
    return { state: "unknown", message: controlPlane.message };
  }
  const needsNone = cluster.spec.controlPlaneRef === undefined && controlPlaneMachines.length === 0;
  if (needsNone || controlPlaneMachines.some((other) => !isDeleting(other))) return ALLOWED;
  return denied(
    "NoControlPlaneMachine",
    "The Cluster has no control plane Machine that stays, and no control plane object that runs without Machines",
  );
}

const ALLOWED: NodeHandling = { state: "allowed" };

function denied(by: Denial, message: string): NodeHandling {
  return { state: "denied", by, message };
}
