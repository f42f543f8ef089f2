import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { type Failure, lastingFailure, reportedFailure } from "../../../shared/rules/providers/failures.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { ownObject } from "./adoption.ts";

/**
 * Returns the terminal failures of the provider objects, and the loss of the infrastructure object; a `missing` one
 * must have been read live. The infrastructure object comes later and wins.
 */
export function poolFailure(pool: MachinePool, { bootstrap, infrastructure }: MachineProviders): Failure {
  const provisioned = pool.status?.initialization?.infrastructureProvisioned === true;
  return lastingFailure(pool.status?.deprecated?.v1beta1, [
    reportedFailure(ownObject(pool, bootstrap)),
    reportedFailure(ownObject(pool, infrastructure)),
    provisioned && infrastructure.state === "missing" ? lost(pool) : {},
  ]);
}

function lost({ spec, metadata }: MachinePool): Failure {
  const { kind, name } = spec.template.spec.infrastructureRef;
  return {
    failureReason: "InvalidConfiguration",
    failureMessage: `MachinePool infrastructure resource ${kind} ${metadata.namespace}/${name} has been deleted after being ready`,
  };
}
