import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, isAtRest, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { poolGuardPatch } from "./rules/guard.ts";
import { readCluster } from "./rules/reads.ts";
import { poolViolations } from "./rules/violations.ts";

export const machinepoolGuard = defineFunction(
  {
    name: "machinepool-guard",
    summary:
      "Makes a MachinePool safe to work on: finalizer, cluster label, Cluster owner reference, defaults.",
    source: "machinepool.md 2, 4 and 12",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS,
          "metadata.labels[cluster.x-k8s.io/cluster-name]",
          "metadata.ownerReferences",
          "metadata.annotations[cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size]",
          "metadata.annotations[cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size]",
          "spec.replicas",
          "spec.template.metadata",
          "spec.template.spec",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [
      {
        kind: MachinePool,
        fields: [
          "metadata.finalizers",
          "metadata.labels[cluster.x-k8s.io/cluster-name]",
          "metadata.ownerReferences",
          "spec.replicas",
          "spec.template.spec.deletion.nodeDeletionTimeoutSeconds",
        ],
      },
    ],
  },
  async (pool, { read }) => {
    const cluster = await readCluster(read, pool);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };

    return {
      patch: [{ target: refTo(MachinePool, pool), operations: poolGuardPatch(pool, cluster) }],
      events: isAtRest(pool, cluster) ? [] : poolViolations(pool),
      result: done,
    };
  },
);
