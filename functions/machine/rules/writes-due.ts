import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { groupOf } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { isAdoptionDue } from "../../../shared/rules/providers/adoption.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { machineClaim } from "./adoption.ts";
import { machineGuardPatch } from "./guard.ts";
import { providersOf } from "./providers.ts";
import { desiredMachineSpec, machineSpecPatch } from "./spec.ts";

/**
 * Whether guard, adopt or sync still have something to write for these snapshots, by the rules they decide with, or the
 * set still has an object to make. Each of these writes wakes the status again, so a status before them would be written
 * twice.
 */
export function machineWritesDue(machine: Machine, cluster: Cluster, providers: MachineProviders): boolean {
  if (isAtRest(machine, cluster)) return false;
  return (
    machineGuardPatch(machine, cluster).length > 0 ||
    isAdoptionDue(machineClaim(machine, cluster), providersOf(machine, providers)) ||
    machineSpecPatch(machine, desiredMachineSpec(machine, providers)).length > 0 ||
    awaitsSet(machine, providers)
  );
}

/** A set makes config and infrastructure machine after the Machine, once. */
function awaitsSet(machine: Machine, { bootstrap, infrastructure }: MachineProviders): boolean {
  const controller = controllerOf(machine);
  if (controller === undefined) return false;
  const { workers } = traitsOf({ group: groupOf(controller.apiVersion), kind: controller.kind });
  if (workers?.makesMachines !== true) return false;
  const { bootstrapDataSecretCreated, infrastructureProvisioned } = machine.status?.initialization ?? {};
  return (
    (bootstrap?.state === "missing" && bootstrapDataSecretCreated !== true) ||
    (infrastructure.state === "missing" && infrastructureProvisioned !== true)
  );
}
