import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { TEMPLATE_PATH } from "../../shared/contract/machine-templates.ts";
import { RemediationRequest, RemediationTemplate } from "../../shared/contract/remediation.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
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
import { done, waitFor } from "../../shared/function/result.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { REFERENCE_FIELDS } from "../../shared/rules/providers/machine-providers.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { binding } from "./rules/binding.ts";
import { HELD_FIELDS } from "./rules/hand-over.ts";
import { checkHold } from "./rules/hold.ts";
import {
  CLUSTER_FIELDS,
  JUDGING_FIELDS,
  NAMED_FIELDS,
  NODE_FIELDS,
  readScene,
  TARGET_FIELDS,
} from "./rules/reads.ts";
import { DEFINITION_FIELDS } from "./rules/request-reads.ts";
import { decideRequests } from "./rules/requests.ts";

const MARK = "status.conditions[ExternallyRemediated]";

export const mhcRequests = defineFunction(
  {
    name: "mhc-requests",
    summary: "Keeps one request per Machine handed to an external controller, none for a healthy one.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    watches: [
      watch(MachineHealthCheck, JUDGING_FIELDS, inClusterOf),
      // The counts change with every verdict, also with those that are in no condition.
      watch(
        MachineHealthCheck,
        ["status.currentHealthy", "status.expectedMachines", "spec.remediation"],
        itself,
      ),
      watch(Cluster, CLUSTER_FIELDS, inCluster),
      // Only statuses: a failure that it says itself must not wake it.
      watch(
        Machine,
        [
          "metadata.uid",
          "metadata.deletionTimestamp",
          "status.conditions[HealthCheckSucceeded].status",
          `${MARK}.status`,
          ...HELD_FIELDS,
        ],
        selectingChecks,
      ),
      watch(Node, ["metadata.uid"], checksOfNode),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(
        RemediationRequest,
        ["metadata.uid", "metadata.deletionTimestamp", ...OWNER_FIELDS],
        checksOfNamesake,
      ),
      watchContract(RemediationTemplate, ["metadata.uid", "metadata.generation"], referencing),
      watch(CustomResourceDefinition, DEFINITION_FIELDS, referencingKind),
      ...binding.watches,
    ],
    reads: [
      {
        on: Machine,
        fields: [
          ...TARGET_FIELDS,
          ...NAMED_FIELDS,
          "status.deprecated.v1beta1.conditions",
          // Requests are distinguished from these.
          ...REFERENCE_FIELDS,
        ],
      },
      { on: Node, fields: NODE_FIELDS },
      { on: RemediationTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
    ],
    readsLive: [Node],
    owns: [],
    ownsOn: [
      { kind: Machine, fields: [MARK] },
      binding.writes,
      { kind: MachineHealthCheck, fields: REFUSED_FIELDS },
    ],
    inTurnWith: [
      turn(
        "mhc-machines",
        MARK,
        "mhc-machines writes it where it is absent or True, this function where it is False",
      ),
      {
        function: "mhc-machines",
        on: binding.writes.kind,
        field: "status",
        reason:
          "each writes the whole history in the version that it has read, so that the later one reads again",
      },
      turn("machine-status", "status", "machine-status applies its own conditions only, never this one"),
      turn(
        "machine-drain",
        "status",
        "machine-drain applies the condition Deleting and its own start times only",
      ),
    ],
    isIdle: ({ spec }) => spec.remediation?.templateRef === undefined,
    calls: [
      { verb: "create", kind: RemediationRequest, limited: true },
      { verb: "delete", kind: RemediationRequest },
    ],
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 20, freshMs: 5 * SECOND },
  },
  async (check, context) => {
    const cluster = await readCluster(context.read, check);
    const hold = checkHold(check, cluster);
    if (hold !== undefined || cluster === undefined) return { result: hold ?? done };
    if (check.spec.remediation?.templateRef === undefined) return { result: done };
    const scene = await readScene(context.read, check, cluster);
    if (scene === "unseen") return { result: waitFor("Connection.status.nodesComplete") };
    // mhc-status says what is wrong with the selector.
    if ("problem" in scene) return { result: done };
    return decideRequests(context, scene);
  },
);

function turn(name: string, field: string, reason: string) {
  return { function: name, on: Machine as unknown as Kind, field, reason };
}
