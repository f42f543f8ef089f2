import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import {
  controllerOf,
  controllerReference,
  sameOwner,
} from "../../../shared/rules/metadata/owner-references.ts";
import { clusterKeyOf } from "../../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { fallbackSelector } from "./deletion.ts";
import { selectorOf } from "./problems.ts";

/** The fields of Machines by which those of a set are found. */
export const SET_MACHINE_FIELDS = [
  "metadata.uid",
  "metadata.labels",
  "metadata.deletionTimestamp",
  ...OWNER_FIELDS,
] as const;

/** Whether the set controls a Machine, by uid: its Machines count, also those that are being deleted. */
export function isOwnMachine({ metadata }: MachineSet, machine: Machine): boolean {
  return controllerOf(machine)?.uid === metadata.uid;
}

/**
 * Whether the set adopts a Machine: it lives, matches the selector, and has no controller, or names the set under an
 * older uid (before a move or a restore). Source: MS-6
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

/** Machines of the Cluster that the set controls or may adopt, by snapshots and by name. */
export async function readMachines(read: Pick<Reader, "list">, set: MachineSet): Promise<readonly Machine[]> {
  const { namespace, name } = clusterKeyOf(set);
  const scope = `${namespace}/${name}|`;
  const find = (index: string, value: string) =>
    read.list(Machine, { namespace, index: { name: index, values: [value] } });
  const found = await Promise.all([
    find("owner", set.metadata.uid ?? ""),
    find("orphan", `${scope}${name}`),
    // Those that name the set under the uid that it had before a move.
    find("set", `${scope}${labelValueOf(set.metadata.name)}`),
  ]);
  const byName = new Map(found.flat().map((machine) => [machine.metadata.name, machine]));
  return [...byName.values()].filter((machine) => isOwnMachine(set, machine) || isAdoptable(set, machine));
}

/**
 * The same as the API server has them: those that the selector finds, and those that snapshots show as the set's own
 * although their labels are gone. The set was read live before.
 */
export async function readMachinesLive(
  live: LiveReader,
  set: MachineSet,
  known: readonly Machine[],
): Promise<readonly Machine[]> {
  const { namespace } = set.metadata;
  const labelSelector = selectorOf(set)?.text ?? fallbackSelector(set);
  const listed = await live.list(Machine, { namespace, labelSelector });
  const names = new Set(listed.map(({ metadata }) => metadata.name));
  const hidden = await Promise.all(
    known
      .filter((machine) => !names.has(machine.metadata.name))
      .map((machine) => live.get(Machine, objectKeyOf(machine))),
  );
  const found = [...listed, ...hidden.filter((machine) => machine !== undefined)];
  return found.filter((machine) => isOwnMachine(set, machine) || isAdoptable(set, machine));
}
