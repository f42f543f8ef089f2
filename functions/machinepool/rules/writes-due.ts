import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { isAtRest } from "../../../shared/function/guards.ts";
import { isAdoptionDue } from "../../../shared/rules/providers/adoption.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { poolClaim } from "./adoption.ts";
import { poolGuardPatch } from "./guard.ts";
import { providersOf } from "./providers.ts";
import { desiredPoolSpec, poolSpecPatch } from "./spec.ts";

/**
 * Whether guard, adopt or sync still have something to write for these snapshots, by the rules they decide with.
 * Each of their writes wakes the status again, so a status before them would be written twice.
 */
export function poolWritesDue(pool: MachinePool, cluster: Cluster, providers: MachineProviders): boolean {
  if (isAtRest(pool, cluster)) return false;
  return (
    poolGuardPatch(pool, cluster).length > 0 ||
    isAdoptionDue(poolClaim(pool), providersOf(pool, providers)) ||
    poolSpecPatch(pool, desiredPoolSpec(pool, providers)).length > 0
  );
}
