import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { SIZE_FIELDS } from "../../shared/rules/machines/node-group-size.ts";
import { HOLD_FIELDS, isAtRest, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { GUARDED_FIELDS, poolGuardPatch } from "./rules/guard.ts";
import { poolViolations } from "./rules/violations.ts";

export const machinepoolGuard = defineFunction(
  {
    name: "machinepool-guard",
    summary:
      "Makes a MachinePool safe to work on: finalizer, cluster label, Cluster owner reference, defaults.",
    source: "core/reconcilers/machinepool/machinepool_controller.go",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS,
          ...ADOPTED_FIELDS,
          ...SIZE_FIELDS,
          "spec.replicas",
          "spec.template.metadata",
          "spec.template.spec",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: GUARDED_FIELDS }],
    reads: [{ on: MachinePool, fields: ["status.replicas"] }],
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
