import { Cluster, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  FINALIZER_FIELDS,
  itself,
  watch,
} from "../../shared/function/define-function.ts";
import { clusterGuardPatch, GUARDED_FIELDS } from "./rules/guard.ts";

export const clusterGuard = defineFunction(
  {
    name: "cluster-guard",
    summary: "Keeps a Cluster until what belongs to it is deleted.",
    source: "core/reconcilers/cluster/cluster_controller.go",
    reconciles: Cluster,
    actsOn: "living",
    settles: true,
    watches: [watch(Cluster, ["metadata.uid", ...FINALIZER_FIELDS], itself)],
    ownsOn: [{ kind: Cluster, fields: GUARDED_FIELDS }],
  },
  async (cluster) => {
    const operations = clusterGuardPatch(cluster);
    return operations.length === 0
      ? { result: done }
      : { patch: [{ target: refTo(Cluster, cluster), operations }], result: done };
  },
);
