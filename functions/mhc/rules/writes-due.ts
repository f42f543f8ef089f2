import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { healthCheckGuardPatch } from "./guard.ts";

/** Whether the guard still has something to write on the health check: decided by the guard's own rule. */
export function checkWritesDue(check: MachineHealthCheck, cluster: Cluster): boolean {
  return !isAtRest(check, cluster) && healthCheckGuardPatch(check, cluster).length > 0;
}
