import { referenceValue } from "../../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT } from "../../../../../shared/api/kinds.ts";
import type { NewObject } from "../../../../../shared/function/define-function.ts";
import { poolLabels } from "../../../../../shared/rules/machines/pool-labels.ts";
import {
  controllerOf,
  isOwnedBy,
  ownerReference,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { SimMachinePool } from "../../../api/sim-machinepool.ts";
import { instanceLabels, type SimFleet } from "./instances.ts";

/** The finalizer on a SimMachine until its instance is gone. */
export const SIM_MACHINE_FINALIZER = "simmachine.infrastructure.sim.capstan.dev";

/** The value of the index `reference` under which the Machine of a SimMachine is found. */
export function simMachineReference({ namespace = "", name }: SimMachine["metadata"]): string {
  return referenceValue({ apiGroup: SimMachine.group, kind: SimMachine.kind, name }, namespace);
}

/** Returns the SimMachines to create so that every instance that stays has one. */
export function missingSimMachines({ object, pool, instances, simMachines }: SimFleet): readonly NewObject[] {
  if (object.spec.machines !== true) return [];
  const known = new Set(simMachines.map(({ metadata }) => metadata.name));
  return instances
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !known.has(metadata.name))
    .map(({ metadata, spec }) => {
      const simMachine: SimMachine = {
        apiVersion: apiVersionOf(SimMachine),
        kind: SimMachine.kind,
        metadata: {
          name: metadata.name,
          namespace: metadata.namespace,
          labels: { ...instanceLabels(object), ...poolLabels(pool) },
          finalizers: [SIM_MACHINE_FINALIZER],
          // An owner, no controller: that will be the Machine.
          ownerReferences: [{ ...ownerReference(SimMachinePool, object), blockOwnerDeletion: true }],
        },
        spec: { providerID: spec.providerID },
      };
      return { cluster: MANAGEMENT, kind: SimMachine, object: simMachine };
    });
}

/** Objects that a pool has made, read live for a deletion. */
export interface SimFleetParts extends Pick<SimFleet, "instances" | "simMachines" | "machines"> {}

/**
 * Returns only what belongs to this SimMachinePool; of Machines those of its SimMachines, and what its MachinePool
 * controls.
 */
export function ownParts(object: SimMachinePool, parts: SimFleetParts): SimFleetParts {
  const { uid } = object.metadata;
  const pool = controllerOf(object)?.uid;
  const simMachines = parts.simMachines.filter((simMachine) => isOwnedBy(simMachine, uid));
  return {
    instances: parts.instances.filter((instance) => isOwnedBy(instance, uid)),
    simMachines,
    machines: parts.machines.filter(
      (machine) =>
        machine.spec.infrastructureRef.kind === SimMachine.kind &&
        (simMachines.some(({ metadata }) => metadata.name === machine.spec.infrastructureRef.name) ||
          (pool !== undefined && controllerOf(machine)?.uid === pool)),
    ),
  };
}
