import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { itself } from "../../shared/function/mappings.ts";
import { done } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { addFinalizerPatch, FINALIZER_FIELDS, hasFinalizer } from "../../shared/rules/metadata/finalizers.ts";
import { CLUSTER_FINALIZER } from "./rules/hold.ts";

export const clusterGuard = defineFunction<Cluster>(
  {
    name: "cluster-guard",
    summary: "Keeps a Cluster until it has been taken apart.",
    source: "CL-3",
    reconciles: Cluster,
    watches: [watch(Cluster, ["metadata.uid", ...FINALIZER_FIELDS], itself)],
    owns: [],
    ownsOn: [{ kind: Cluster, fields: ["metadata.finalizers"] }],
  },
  async (cluster) => {
    // Paused or not: a Cluster without finalizer could vanish under its machines.
    if (isDeleting(cluster) || hasFinalizer(cluster, CLUSTER_FINALIZER)) return { result: done };
    const operations = addFinalizerPatch(cluster, CLUSTER_FINALIZER);
    return { patch: [{ target: refTo(Cluster, cluster), operations }], result: done };
  },
);
