import type { KubeObject } from "../../api/kinds.ts";

export const MIN_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
export const MAX_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/** The fields that the rules of this file read, but for `status.replicas`. */
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

/** A set or a pool. */
interface Group extends KubeObject {
  readonly status?: { readonly replicas?: number | undefined } | undefined;
}

/**
 * Returns the number of Machines of a group that says none: 1, or, where the autoscaler's annotations give a range, what
 * it has, within that range, at first the minimum: a manifest that says none any more leaves the number to the
 * autoscaler. `undefined` when they are not counts.
 */
export function defaultReplicas(group: Group): number | undefined {
  const size = nodeGroupSize(group);
  if (size === undefined) return 1;
  if (size === "malformed") return undefined;
  return Math.max(size.min, Math.min(size.max, group.status?.replicas ?? size.min));
}
