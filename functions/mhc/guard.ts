import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isAtRest, PAUSING_FIELDS, REST_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { CHECKED_FIELDS, GUARDED_FIELDS, healthCheckGuardPatch } from "./rules/guard.ts";

export const mhcGuard = defineFunction(
  {
    name: "mhc-guard",
    summary: "Makes a MachineHealthCheck safe to work on: cluster label, Cluster owner reference, defaults.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    watches: [
      watch(MachineHealthCheck, [...REST_FIELDS, ...GUARDED_FIELDS, ...CHECKED_FIELDS], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [{ kind: MachineHealthCheck, fields: GUARDED_FIELDS }],
  },
  async (check, { read }) => {
    const cluster = await readCluster(read, check);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    if (isAtRest(check, cluster)) return { result: done };
    const operations = healthCheckGuardPatch(check, cluster);
    return { patch: [{ target: refTo(MachineHealthCheck, check), operations }], result: done };
  },
);
