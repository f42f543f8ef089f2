import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { RemediationRequest, RemediationTemplate } from "../../shared/contract/remediation.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  checksOfConditions,
  checksOfNamesake,
  checksOfNode,
  selectingChecks,
} from "../../shared/function/health-check-mappings.ts";
import {
  inCluster,
  inClusterOf,
  itself,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { GUARDED_FIELDS } from "./rules/guard.ts";
import { checkHold } from "./rules/hold.ts";
import { CLUSTER_FIELDS, JUDGING_FIELDS, NAMED_FIELDS, NODE_FIELDS, TARGET_FIELDS } from "./rules/reads.ts";
import { DEFINITION_FIELDS } from "./rules/request-reads.ts";
import { checkReport, floorMs, pausedCheckStatus } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { checkWritesDue } from "./rules/writes-due.ts";

export const mhcStatus = defineFunction(
  {
    name: "mhc-status",
    summary: "Computes the status of a MachineHealthCheck: targets, counters, conditions.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    watches: [
      watch(MachineHealthCheck, JUDGING_FIELDS, inClusterOf),
      watch(MachineHealthCheck, [...GUARDED_FIELDS, ...REFUSED_FIELDS, "status"], itself),
      watch(Cluster, CLUSTER_FIELDS, inCluster),
      watch(Machine, TARGET_FIELDS, selectingChecks),
      watch(Machine, NAMED_FIELDS, checksOfConditions),
      watch(Node, NODE_FIELDS, checksOfNode),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(RemediationTemplate, ["metadata.uid"], referencing),
      watchContract(RemediationRequest, ["metadata.uid"], checksOfNamesake),
      watch(CustomResourceDefinition, DEFINITION_FIELDS, referencingKind),
    ],
    owns: ["status"],
    queue: { settleMs: 100, minIntervalMs: SECOND },
  },
  async (check, context) => {
    const { read, now } = context;
    const cluster = await readCluster(read, check);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const hold = checkHold(check, cluster);
    if (hold !== undefined)
      return { apply: { status: pausedCheckStatus(check, cluster, now) }, result: hold };
    const isDue = checkWritesDue(check, cluster);
    const held = heldBack(check, now);
    if (held !== undefined && isDue) return { result: held };

    const view = await readView(context, check, cluster, !isDue);
    const { status, events, result } = checkReport(view);
    return { apply: { status }, events, notBeforeMs: floorMs(view), result };
  },
);
