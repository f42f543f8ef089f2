import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { RemediationRequest } from "../../shared/contract/remediation.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  checksOfConditions,
  checksOfNamesake,
  checksOfNode,
  selectingChecks,
} from "../../shared/function/health-check-mappings.ts";
import { inCluster, inClusterOf, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { MARK_FIELDS } from "../../shared/rules/machines/remediation.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { binding } from "./rules/binding.ts";
import { checkHold } from "./rules/hold.ts";
import { decideMachines } from "./rules/machines.ts";
import {
  CLUSTER_FIELDS,
  JUDGING_FIELDS,
  NAMED_FIELDS,
  NODE_FIELDS,
  readScene,
  TARGET_FIELDS,
} from "./rules/reads.ts";
import { reportCheck } from "./rules/report.ts";
import { DEFINITION_FIELDS } from "./rules/request-reads.ts";

const HEALTH_FIELDS = [
  "status.conditions[HealthCheckSucceeded]",
  "status.deprecated.v1beta1.conditions[HealthCheckSucceeded]",
] as const;

const BY_OWNER =
  "health checks write it where it is absent or True, its owner where it is False; a left-over goes after a minute";

export const mhcMachines = defineFunction(
  {
    name: "mhc-machines",
    summary: "Says on each Machine whether it is healthy, and hands unhealthy ones over within the limit.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go",
    reconciles: MachineHealthCheck,
    watches: [
      watch(MachineHealthCheck, JUDGING_FIELDS, inClusterOf),
      watch(Cluster, CLUSTER_FIELDS, inCluster),
      watch(Machine, TARGET_FIELDS, selectingChecks),
      watch(Machine, NAMED_FIELDS, checksOfConditions),
      watch(Node, NODE_FIELDS, checksOfNode),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(RemediationRequest, ["metadata.uid", ...binding.requestFields], checksOfNamesake),
      watch(CustomResourceDefinition, DEFINITION_FIELDS, referencingKind),
      ...binding.watches,
    ],
    owns: [],
    ownsOn: [
      binding.writes,
      {
        kind: Machine,
        fields: [...HEALTH_FIELDS, ...MARK_FIELDS, "status.conditions[ExternallyRemediated]"],
      },
    ],
    inTurnWith: [
      ...["machineset-remediate", "machinepool-remediate"].flatMap((name) =>
        MARK_FIELDS.map((field) => ({ function: name, on: Machine, field, reason: BY_OWNER })),
      ),
      {
        function: "machine-status",
        on: Machine,
        field: "status",
        reason:
          "machine-status applies its own conditions only, and the list of deprecated ones as it was read, with its own in it",
      },
      {
        function: "machine-drain",
        on: Machine,
        field: "status",
        reason: "machine-drain applies the condition Deleting and its own start times, nothing else",
      },
    ],
    // A JSON patch counts in the list: snapshots must have all of it.
    reads: [
      { on: Machine, fields: ["status.deprecated.v1beta1.conditions"] },
      // For its report alone.
      { on: MachineHealthCheck, fields: ["status.conditions[RemediationAllowed]"] },
    ],
    readsLive: [Node],
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 20, freshMs: 5 * SECOND },
  },
  async (check, context) => {
    const cluster = await readCluster(context.read, check);
    const hold = checkHold(check, cluster);
    if (hold !== undefined || cluster === undefined) return { result: hold ?? done };
    const scene = await readScene(context.read, check, cluster);
    if (scene === "unseen") return { result: waitFor("Connection.status.nodesComplete") };
    // mhc-status says what is wrong with the selector.
    if ("problem" in scene) return { result: done };
    return decideMachines(context, scene);
  },
  reportCheck,
);
