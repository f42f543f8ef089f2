import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { TEMPLATE_PATH } from "../../../shared/contract/machine-templates.ts";
import { RemediationRequest, RemediationTemplate } from "../../../shared/contract/remediation.ts";
import {
  checksOfConditions,
  checksOfNamesake,
  checksOfNode,
  inCluster,
  inClusterOf,
  itself,
  referencing,
  referencingKind,
  selectingChecks,
  watch,
  watchContract,
} from "../../../shared/function/define-function.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { REFERENCE_FIELDS } from "../../../shared/rules/providers/machine-providers.ts";
import { COMPLETE_VIEW_FIELDS } from "../../../shared/rules/workload/complete-view.ts";
import { HELD_FIELDS } from "./hand-over.ts";
import { CLUSTER_FIELDS, JUDGING_FIELDS, NAMED_FIELDS, NODE_FIELDS, TARGET_FIELDS } from "./reads.ts";
import { DEFINITION_FIELDS } from "./request-reads.ts";

/** Watches of everything in a scene. */
export const SCENE_WATCHES = [
  watch(MachineHealthCheck, JUDGING_FIELDS, inClusterOf),
  watch(Cluster, CLUSTER_FIELDS, inCluster),
  watch(Machine, TARGET_FIELDS, selectingChecks),
  watch(Machine, NAMED_FIELDS, checksOfConditions),
  watch(Node, NODE_FIELDS, checksOfNode),
  watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
  watch(CustomResourceDefinition, DEFINITION_FIELDS, referencingKind),
];

/** Watches of everything that decides about requests: counts of the health check, and few conditions of Machines. */
export const REQUEST_WATCHES = [
  watch(MachineHealthCheck, JUDGING_FIELDS, inClusterOf),
  // The counts change with every verdict, also with those that are in no condition.
  watch(MachineHealthCheck, ["status.currentHealthy", "status.expectedMachines", "spec.remediation"], itself),
  watch(Cluster, CLUSTER_FIELDS, inCluster),
  // Only statuses: a failure that it says itself must not wake it.
  watch(
    Machine,
    [
      "metadata.uid",
      "metadata.deletionTimestamp",
      "status.conditions[HealthCheckSucceeded].status",
      "status.conditions[ExternallyRemediated].status",
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
];

/** Fields that requests depend on besides. */
export const REQUEST_READS = [
  {
    on: Machine as unknown as Kind,
    fields: [
      ...TARGET_FIELDS,
      ...NAMED_FIELDS,
      "status.deprecated.v1beta1.conditions",
      // Requests are distinguished from these.
      ...REFERENCE_FIELDS,
    ],
  },
  { on: Node as unknown as Kind, fields: NODE_FIELDS },
  { on: RemediationTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
] as const;
