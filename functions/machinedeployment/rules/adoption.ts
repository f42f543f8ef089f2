import { DEPLOYMENT_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { GuardedPatch } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { controllerAdoption } from "../../../shared/rules/metadata/controller-adoption.ts";
import {
  controllerOf,
  controllerReference,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";
import { selectorOf } from "../../../shared/rules/rollout/problems.ts";

/** Returns whether the deployment controls a set of its own Cluster, by uid: also one that is being deleted. */
export function isOwnSet({ metadata, spec }: MachineDeployment, set: MachineSet): boolean {
  return controllerOf(set)?.uid === metadata.uid && set.spec.clusterName === spec.clusterName;
}

/**
 * Returns whether the deployment adopts a set: it lives, belongs to the same Cluster, and either has no controller and
 * matches the selector, or names the deployment under an older uid (before a move or a restore).
 *
 * Differs: an orphan that another deployment has named is left to that one, and a set of an older uid is adopted, for
 * which upstream makes new sets.
 */
export function isAdoptable(deployment: MachineDeployment, set: MachineSet): boolean {
  if (isDeleting(set) || set.spec.clusterName !== deployment.spec.clusterName) return false;
  const controller = controllerOf(set);
  if (controller !== undefined) {
    const isFormerSelf = sameOwner(controller, controllerReference(MachineDeployment, deployment));
    return isFormerSelf && controller.uid !== deployment.metadata.uid;
  }
  // An empty selector selects nothing.
  const isSelected = selectorOf(deployment)?.matches(set.metadata.labels) === true;
  const named = set.metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  return (named === undefined || named === deployment.metadata.name) && isSelected;
}

/** Returns the patches of the sets that the deployment takes over, with their Events. */
export function adoptions(
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): readonly GuardedPatch[] {
  const controller = controllerReference(MachineDeployment, deployment);
  return sets
    .filter((set) => isAdoptable(deployment, set))
    .map((set) => controllerAdoption(MachineSet, set, controller));
}
