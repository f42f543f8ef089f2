import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { itself } from "../../shared/function/mappings.ts";
import { done } from "../../shared/function/result.ts";
import { FINALIZER_FIELDS } from "../../shared/rules/metadata/finalizers.ts";
import { clusterGuardPatch, GUARDED_FIELDS } from "./rules/guard.ts";

export const clusterGuard = defineFunction<Cluster>(
  {
    name: "cluster-guard",
    summary: "Keeps a Cluster until it has been taken apart.",
    source: "core/reconcilers/cluster/cluster_controller.go",
    reconciles: Cluster,
    actsOn: "living",
    watches: [watch(Cluster, ["metadata.uid", ...FINALIZER_FIELDS], itself)],
    owns: [],
    ownsOn: [{ kind: Cluster, fields: GUARDED_FIELDS }],
  },
  async (cluster) => {
    const operations = clusterGuardPatch(cluster);
    return operations.length === 0
      ? { result: done }
      : { patch: [{ target: refTo(Cluster, cluster), operations }], result: done };
  },
);
