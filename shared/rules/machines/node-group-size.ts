import type { KubeObject } from "../../api/kinds.ts";

export const MIN_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
export const MAX_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/** The fields that `nodeGroupSize` reads. */
export const SIZE_FIELDS = [
  `metadata.annotations[${MIN_SIZE}]`,
  `metadata.annotations[${MAX_SIZE}]`,
] as const;
const COUNT = /^\d{1,9}$/;

/** The range in which the cluster autoscaler keeps a group of Machines. */
export interface NodeGroupSize {
  readonly min: number;
  readonly max: number;
}

/** The range where both annotations are there; `malformed` when one of them is not a count. */
export function nodeGroupSize({ metadata }: KubeObject): NodeGroupSize | "malformed" | undefined {
  const [min, max] = [MIN_SIZE, MAX_SIZE].map((key) => metadata.annotations?.[key]);
  if (min === undefined || max === undefined) return undefined;
  return COUNT.test(min) && COUNT.test(max) ? { min: Number(min), max: Number(max) } : "malformed";
}
