import type { MachinePool } from "../../api/machinepool.ts";

const MANAGED_BY = "cluster.x-k8s.io/replicas-managed-by";

/** The field that `isManagedOutside` reads. */
export const MANAGED_FIELDS = [`metadata.annotations[${MANAGED_BY}]`] as const;

/** Any value but exactly `false` says that another controller sets `spec.replicas`. */
export function isManagedOutside(pool: MachinePool): boolean {
  const by = pool.metadata.annotations?.[MANAGED_BY];
  return by !== undefined && by !== "false";
}
