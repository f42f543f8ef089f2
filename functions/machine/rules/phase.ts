import type { Machine, MachineStatus } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";

/** The phase for people; no step may decide on it. `status` is the rest of the one about to be written. */
export function machinePhase(machine: Machine, status: MachineStatus): MachineStatus["phase"] {
  const { bootstrapDataSecretCreated, infrastructureProvisioned } = status.initialization ?? {};
  if (isDeleting(machine)) return "Deleting";
  if (conditionOf(status.conditions, "Updating")?.status === "True") return "Updating";
  if (status.nodeRef !== undefined && infrastructureProvisioned === true) return "Running";
  if (machine.spec.providerID !== undefined) return "Provisioned";
  return bootstrapDataSecretCreated === true && infrastructureProvisioned !== true
    ? "Provisioning"
    : "Pending";
}
