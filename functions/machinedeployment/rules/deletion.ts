import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { hasFinalizer } from "../../../shared/function/guards.ts";

/** The finalizer of the garbage collector, which it removes once it has taken the owner off every dependent. */
const ORPHAN = "orphan";

/**
 * Whether the sets of a deleted deployment are to stay (propagation policy Orphan): until the garbage collector has
 * freed them, they still name the deployment.
 * Differs: upstream adopts them again, and deletes them with all Machines.
 */
export function isFreeingSets(deployment: MachineDeployment): boolean {
  return hasFinalizer(deployment, ORPHAN);
}
