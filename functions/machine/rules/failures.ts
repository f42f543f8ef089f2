import type { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { type Failure, lastingFailure, reportedFailure } from "../../../shared/rules/providers/failures.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { ownObject } from "./adoption.ts";

/**
 * Returns the terminal failures of the provider objects; infrastructure comes later and wins. One that has been lost is
 * a failure of its own: `providers` says so only after a live read. Never cleared.
 */
export function machineFailure(machine: Machine, { bootstrap, infrastructure }: MachineProviders): Failure {
  return lastingFailure(machine.status?.deprecated?.v1beta1, [
    reportedFailure(ownObject(machine, bootstrap)),
    reportedFailure(ownObject(machine, infrastructure)),
    isLost(machine, infrastructure) ? lost(machine) : {},
  ]);
}

function isLost(machine: Machine, { state }: MachineProviders["infrastructure"]): boolean {
  const provisioned = machine.status?.initialization?.infrastructureProvisioned === true;
  return provisioned && state === "missing" && !isDeleting(machine);
}

function lost({ metadata, spec: { infrastructureRef } }: Machine): Failure {
  const { kind, name } = infrastructureRef;
  return {
    failureReason: "InvalidConfiguration",
    failureMessage: `Machine infrastructure resource ${kind} ${metadata.namespace}/${name} has been deleted after provisioning was completed`,
  };
}
