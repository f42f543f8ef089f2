import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { groupOf, type KubeObject, type OwnerReference } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { controllerReference } from "../../../shared/rules/metadata/owner-references.ts";
import { type Claim, controllerAgainst, ownAmong } from "../../../shared/rules/providers/adoption.ts";

/** The field of a Cluster that `machineClaim` reads. */
export const CLAIM_FIELDS = ["spec.controlPlaneRef"] as const;

/**
 * A Machine controls its config and its infrastructure machine. Those that made them before the Machine were owners for
 * a while, so that an orphan is garbage collected: a MachineSet, for a control plane Machine the control plane object.
 */
export function machineClaim(machine: Machine, cluster: Cluster | undefined): Claim {
  const controlPlane = isControlPlaneMachine(machine) ? cluster?.spec.controlPlaneRef : undefined;
  return {
    owner: controllerReference(Machine, machine),
    believes: "controlled",
    clusterName: machine.spec.clusterName,
    temporary: (owner) =>
      traitsOf({ group: groupOf(owner.apiVersion), kind: owner.kind }).workers?.makesMachines === true ||
      (controlPlane !== undefined && isOfKind(owner, controlPlane)),
  };
}

/** Returns the object whose values count: one that the Machine controls, so that no foreign ID ever reaches a delete. */
export function ownObject(machine: Machine, found: Referenced | undefined): Found | undefined {
  return ownAmong(machineClaim(machine, undefined), found);
}

/**
 * Returns whether another object than the Machine controls an object: such an object counts as gone when the Machine is
 * deleted. One with a temporary owner, or without, is the Machine's.
 */
export function isForeign(machine: Machine, cluster: Cluster | undefined, object: KubeObject): boolean {
  return controllerAgainst(machineClaim(machine, cluster), object) !== undefined;
}

function isOfKind(
  owner: OwnerReference,
  { apiGroup, kind }: { readonly apiGroup: string; readonly kind: string },
): boolean {
  return groupOf(owner.apiVersion) === apiGroup && owner.kind === kind;
}
