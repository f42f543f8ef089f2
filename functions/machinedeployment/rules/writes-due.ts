import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { deploymentGuardPatch } from "./guard.ts";

/**
 * Whether the guard still has something to write on the deployment itself: then a status written now would be written
 * again. Decided by the guard's own rule.
 */
export function deploymentWritesDue(deployment: MachineDeployment, cluster: Cluster | undefined): boolean {
  return (
    cluster !== undefined &&
    !isAtRest(deployment, cluster) &&
    deploymentGuardPatch(deployment, cluster).length > 0
  );
}
