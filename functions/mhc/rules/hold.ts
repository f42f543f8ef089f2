import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { type Result, waitFor } from "../../../shared/function/result.ts";
import { pausedBy } from "../../../shared/rules/metadata/paused.ts";

/**
 * Returns why a health check judges nothing; `undefined` when it does. One that is being deleted still judges.
 */
export function checkHold(check: MachineHealthCheck, cluster: Cluster | undefined): Result | undefined {
  if (cluster === undefined) return waitFor("Cluster.metadata.uid");
  const pause = pausedBy(cluster, check);
  return pause === undefined ? undefined : waitFor(pause);
}
