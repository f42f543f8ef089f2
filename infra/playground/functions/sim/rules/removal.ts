import { type ObjectRef, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import type { GuardedDelete } from "../../../../../shared/function/define-function.ts";
import { SimInstance } from "../../../api/sim-cloud.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import type { SimMachinePool } from "../../../api/sim-machinepool.ts";
import { isNameOf } from "./instances.ts";
import type { SimFleetParts } from "./machines.ts";

/** Deletes of what stands above each of these instances, and of orphaned Machines; `parts` as read live. */
export function removalOf(
  object: SimMachinePool,
  parts: SimFleetParts,
  leaving: readonly (SimInstance | SimMachine)[],
): readonly GuardedDelete[] {
  const orphans = orphanedMachines(object, parts).map(({ spec }) => spec.infrastructureRef.name);
  const toDelete = new Set([...leaving.map(({ metadata }) => metadata.name), ...orphans]);
  return [...toDelete].flatMap((name) => topOf(name, parts) ?? []).map((target) => ({ target }));
}

/**
 * Machines whose SimMachine and instance are gone and that do not go by themselves: a request that was carried out
 * late has made them. No other controller takes them down, and their names would be taken for ever.
 */
export function orphanedMachines(
  object: SimMachinePool,
  { instances, simMachines, machines }: SimFleetParts,
): readonly Machine[] {
  const known = new Set([...instances, ...simMachines].map(({ metadata }) => metadata.name));
  return machines.filter((machine) => {
    const { kind, name } = machine.spec.infrastructureRef;
    if (kind !== SimMachine.kind || !isNameOf(object, name) || known.has(name)) return false;
    return machine.metadata.deletionTimestamp === undefined;
  });
}

/**
 * Returns the object to delete so that the instance of this name goes: its Machine, so that it is drained first;
 * without one its SimMachine; without that the instance itself. None while that is going already. A Machine without a
 * finalizer would be gone at once, and be recreated for its SimMachine: then that goes first.
 */
function topOf(name: string, { instances, simMachines, machines }: SimFleetParts): ObjectRef | undefined {
  const machine = machines.find(({ spec }) => spec.infrastructureRef.name === name);
  const simMachine = simMachines.find(({ metadata }) => metadata.name === name);
  if (machine !== undefined && (simMachine === undefined || isKept(machine)))
    return due(refTo(Machine, machine), machine);
  if (simMachine !== undefined) return due(refTo(SimMachine, simMachine), simMachine);
  const instance = instances.find(({ metadata }) => metadata.name === name);
  return instance === undefined ? undefined : due(refTo(SimInstance, instance), instance);
}

/** Returns whether a deleted Machine would not be gone at once. */
export function isKept({ metadata: { finalizers = [], deletionTimestamp } }: Machine): boolean {
  return finalizers.length > 0 || deletionTimestamp !== undefined;
}

function due(ref: ObjectRef, { metadata }: Pick<Machine, "metadata">): ObjectRef | undefined {
  return metadata.deletionTimestamp === undefined ? ref : undefined;
}
