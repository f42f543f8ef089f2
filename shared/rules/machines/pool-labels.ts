import { CLUSTER_NAME_LABEL, POOL_NAME_LABEL } from "../../api/indexes.ts";
import type { MachinePool } from "../../api/machinepool.ts";
import { labelValueOf } from "../../api/names.ts";

/** The fields that hold `poolLabels`. */
export const POOL_LABEL_FIELDS = [
  "metadata.labels[cluster.x-k8s.io/pool-name]",
  "metadata.labels[cluster.x-k8s.io/cluster-name]",
] as const;

/** The labels of everything that belongs to one instance of a pool. */
export function poolLabels({ metadata, spec }: MachinePool): { readonly [label: string]: string } {
  return { [POOL_NAME_LABEL]: labelValueOf(metadata.name), [CLUSTER_NAME_LABEL]: spec.clusterName };
}
