import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isAtRest, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { PAUSE_FIELDS } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { GUARDED_FIELDS, healthCheckGuardPatch } from "./rules/guard.ts";

export const mhcGuard = defineFunction(
  {
    name: "mhc-guard",
    summary: "Makes a MachineHealthCheck safe to work on: cluster label, Cluster owner reference, defaults.",
    source: "MHC-5.2",
    reconciles: MachineHealthCheck,
    watches: [
      watch(
        MachineHealthCheck,
        ["metadata.deletionTimestamp", ...PAUSE_FIELDS, ...GUARDED_FIELDS, "spec.checks", "spec.clusterName"],
        itself,
      ),
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
