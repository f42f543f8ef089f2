import { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { clusterKeyOf } from "../../../shared/function/guards.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { withUnlisted } from "../../../shared/rules/metadata/read-unlisted.ts";
import { fallbackSelector } from "./deletion.ts";
import { isAdoptable, isOwnMachine } from "./machines.ts";
import { selectorOf } from "./problems.ts";

/** The fields of Machines by which those of a set are found. */
export const SET_MACHINE_FIELDS = [
  "metadata.uid",
  "metadata.labels",
  "metadata.deletionTimestamp",
  ...OWNER_FIELDS,
] as const;

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
  const found = await withUnlisted(live, Machine, listed, known);
  return found.filter((machine) => isOwnMachine(set, machine) || isAdoptable(set, machine));
}
