import type { MachinePool, MachinePoolPhase, MachinePoolStatus } from "../../../shared/api/machinepool.ts";
import { isManagedOutside } from "../../../shared/rules/providers/replicas-managed.ts";

/**
 * The phase for people; no function decides on it. Rules from the last to the first: the later one wins, and where
 * none matches the stored phase stays. `status` is the one about to be written.
 */
export function poolPhase(pool: MachinePool, status: MachinePoolStatus): MachinePoolPhase {
  if (pool.metadata.deletionTimestamp !== undefined) return "Deleting";
  const { initialization, nodeRefs = [], deprecated } = status;
  const wanted = pool.spec.replicas;
  if (initialization?.infrastructureProvisioned === true && wanted !== undefined) {
    const ready = deprecated?.v1beta1?.readyReplicas ?? 0;
    if (wanted === ready) return "Running";
    if (isManagedOutside(pool)) return "Scaling";
    return wanted > ready ? "ScalingUp" : "ScalingDown";
  }
  if (nodeRefs.length > 0) return "Provisioned";
  if (
    initialization?.bootstrapDataSecretCreated === true &&
    initialization.infrastructureProvisioned !== true
  ) {
    return "Provisioning";
  }
  return pool.status?.phase ?? "Pending";
}
