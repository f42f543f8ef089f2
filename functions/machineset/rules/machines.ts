import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import {
  controllerOf,
  controllerReference,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";
import { selectorOf } from "./problems.ts";

/** Whether the set controls a Machine, by uid: its Machines count, also those that are being deleted. */
export function isOwnMachine({ metadata }: MachineSet, machine: Machine): boolean {
  return controllerOf(machine)?.uid === metadata.uid;
}

/**
 * Whether the set adopts a Machine: it lives, matches the selector, and has no controller, or names the set under an
 * older uid (before a move or a restore).
 */
export function isAdoptable(set: MachineSet, machine: Machine): boolean {
  const controller = controllerOf(machine);
  const isFree = controller === undefined || isFormerSelf(set, machine);
  return isFree && !isDeleting(machine) && isSelected(set, machine);
}

function isFormerSelf(set: MachineSet, machine: Machine): boolean {
  const controller = controllerOf(machine);
  return (
    controller !== undefined &&
    controller.uid !== set.metadata.uid &&
    sameOwner(controller, controllerReference(MachineSet, set))
  );
}

function isSelected(set: MachineSet, machine: Machine): boolean {
  const selector = selectorOf(set);
  return (
    selector !== undefined &&
    machine.spec.clusterName === set.spec.clusterName &&
    selector.matches(machine.metadata.labels)
  );
}
