import type { MachinePool } from "../../../shared/api/machinepool.ts";

export const MIN_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
export const MAX_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/** The fields of a pool that `defaultReplicas` reads. */
export const SIZE_FIELDS = [
  `metadata.annotations[${MIN_SIZE}]`,
  `metadata.annotations[${MAX_SIZE}]`,
] as const;
const COUNT = /^\d{1,9}$/;

/** The autoscaler's minimum where both its annotations are there, else 1; `undefined` when they are not counts. */
export function defaultReplicas(pool: MachinePool): number | undefined {
  const [min, max] = [MIN_SIZE, MAX_SIZE].map((key) => pool.metadata.annotations?.[key]);
  if (min === undefined || max === undefined) return 1;
  return COUNT.test(min) && COUNT.test(max) ? Number(min) : undefined;
}
