import { SET_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { isDeleting } from "../../../shared/function/guards.ts";

/** Machines of a deleted set that must be deleted now; those that are going are waited for. */
export function machinesToDelete(machines: readonly Machine[]): readonly Machine[] {
  return machines.filter((machine) => !isDeleting(machine));
}

/** The selector by which the Machines of a set are listed that has none: it was deleted before its guard ran. */
export function fallbackSelector({ metadata }: MachineSet): string {
  return `${SET_NAME_LABEL}=${labelValueOf(metadata.name)}`;
}
