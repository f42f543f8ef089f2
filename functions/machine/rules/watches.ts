import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDrainRule } from "../../../shared/api/machine/machine-drain-rule.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { PersistentVolume, Pod, VolumeAttachment } from "../../../shared/api/workload.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { ControlPlane } from "../../../shared/contract/control-plane.ts";
import { InfraMachine, infraMachinePaths } from "../../../shared/contract/infra-machine.ts";
import {
  claimantsOfNode,
  HOLD_FIELDS,
  inCluster,
  inClusterOf,
  inClusterOfControlPlaneMachine,
  inClusterReferencing,
  itself,
  ownedBy,
  PAUSING_FIELDS,
  referencing,
  sharingProviderID,
  watch,
  watchContract,
  watchReferenced,
} from "../../../shared/function/define-function.ts";
import { mirroredFields } from "../../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { CLONED_FROM_FIELDS } from "../../../shared/rules/machines/clones.ts";
import { OWNER_FIELDS } from "../../../shared/rules/metadata/read-owner.ts";
import { ADOPTED_FIELDS, OWN_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../../shared/rules/providers/bootstrap-data.ts";
import { FAILURE_FIELDS } from "../../../shared/rules/providers/failures.ts";
import { REFERENCE_FIELDS } from "../../../shared/rules/providers/machine-providers.ts";
import { COMPLETE_VIEW_FIELDS } from "../../../shared/rules/workload/complete-view.ts";
import { CONNECTION_FIELDS } from "../../../shared/rules/workload/connection.ts";
import { CLAIM_FIELDS } from "./adoption.ts";
import { CERTIFICATE_FIELDS } from "./certificates.ts";
import { POD_FIELDS } from "./drain-plan.ts";
import { DRAINED_NODE_FIELDS, REACH_FIELDS } from "./drain-reads.ts";
import { RULE_FIELDS } from "./drain-rules.ts";
import { TIMER_FIELDS } from "./drain-timers.ts";
import { TURN_FIELDS, WORD_FIELDS } from "./drain-turn.ts";
import { HOOK_FIELDS } from "./hooks.ts";
import { INFRASTRUCTURE_FIELDS } from "./infrastructure.ts";
import { NODE_TIMEOUT_FIELDS } from "./node-deletion.ts";
import {
  HANDLED_FIELDS,
  HANDLING_CLUSTER_FIELDS,
  HANDLING_CONTROL_PLANE_FIELDS,
  HANDLING_MACHINE_FIELDS,
} from "./node-handling.ts";
import { NODE_CLUSTER_FIELDS, NODE_REPORT_FIELDS, RIVAL_FIELDS } from "./node-report.ts";
import { DEPLOYMENT_FIELDS, SET_FIELDS } from "./up-to-date.ts";
import { ATTACHMENT_FIELDS, NODE_VOLUME_FIELDS, POD_VOLUME_FIELDS, VOLUME_FIELDS } from "./volumes.ts";
import { itselfBehindDrain } from "./wakes.ts";

const PROVIDER_FIELDS = [
  "metadata.deletionTimestamp",
  ...ADOPTED_FIELDS,
  ...FAILURE_FIELDS,
  ...CLONED_FROM_FIELDS,
  ...mirroredFields("Ready"),
  DEPRECATED_CONDITIONS,
];

/** Watches of everything that the status shows. */
export const VIEW_WATCHES = [
  watch(
    Machine,
    [
      "metadata.uid",
      "metadata.generation",
      "metadata.labels",
      ...HOOK_FIELDS,
      ...ADOPTED_FIELDS,
      "spec",
      "status",
    ],
    itself,
  ),
  watch(Cluster, [...CLAIM_FIELDS, ...HANDLING_CLUSTER_FIELDS, ...NODE_CLUSTER_FIELDS], inCluster),
  watchReferenced(
    [BootstrapConfig, [...PROVIDER_FIELDS, ...BOOTSTRAP_FIELDS, ...CERTIFICATE_FIELDS]],
    [InfraMachine, [...PROVIDER_FIELDS, ...INFRASTRUCTURE_FIELDS]],
  ),
  watch(Node, NODE_REPORT_FIELDS, claimantsOfNode),
  watch(Machine, RIVAL_FIELDS, sharingProviderID),
  watch(Connection, [...CONNECTION_FIELDS, "status.nodesComplete"], inCluster),
  watch(MachineSet, SET_FIELDS, ownedBy),
  watch(MachineDeployment, DEPLOYMENT_FIELDS, inClusterOf),
  watch(Machine, HANDLING_MACHINE_FIELDS, inClusterOfControlPlaneMachine),
  watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
];

/** Watches of everything that decides about the stage of a deletion. */
export const DELETION_WATCHES = [
  watch(
    Machine,
    [
      ...HOLD_FIELDS,
      ...HOOK_FIELDS,
      ...HANDLED_FIELDS,
      ...TURN_FIELDS,
      ...NODE_TIMEOUT_FIELDS,
      ...REFERENCE_FIELDS,
      "spec.providerID",
    ],
    itself,
  ),
  watch(Machine, WORD_FIELDS, itselfBehindDrain),
  watch(Machine, HANDLING_MACHINE_FIELDS, inClusterOfControlPlaneMachine),
  watch(Cluster, [...PAUSING_FIELDS, ...HANDLING_CLUSTER_FIELDS], inCluster),
  watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
  watchReferenced(
    [BootstrapConfig, OWNER_FIELDS],
    [InfraMachine, ["metadata.deletionTimestamp", ...OWNER_FIELDS, ...infraMachinePaths("providerID")]],
  ),
  watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
  watch(Node, ["metadata.uid", "spec.providerID"], claimantsOfNode),
];

/** Watches of everything that decides about a drain. */
export const DRAIN_WATCHES = [
  watch(
    Machine,
    [...TURN_FIELDS, ...WORD_FIELDS, ...HOOK_FIELDS, ...HANDLED_FIELDS, ...TIMER_FIELDS, "spec.providerID"],
    itself,
  ),
  watch(Cluster, HANDLING_CLUSTER_FIELDS, inCluster),
  watch(Connection, REACH_FIELDS, inCluster),
  watch(Node, ["spec.providerID", ...DRAINED_NODE_FIELDS], claimantsOfNode),
  watchContract(InfraMachine, ["metadata.deletionTimestamp", ...OWN_FIELDS], referencing),
  watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
];

/** Fields that a drain reads besides. Another Machine that goes must not wake a thousand: the drain looks again while Pods are left. */
export const DRAIN_READS = [
  { on: Machine as unknown as Kind, fields: HANDLING_MACHINE_FIELDS },
  { on: Node as unknown as Kind, fields: NODE_VOLUME_FIELDS, liveOnly: true },
  { on: Pod as unknown as Kind, fields: [...POD_FIELDS, ...POD_VOLUME_FIELDS] },
  { on: VolumeAttachment as unknown as Kind, fields: ATTACHMENT_FIELDS },
  { on: PersistentVolume as unknown as Kind, fields: VOLUME_FIELDS },
  { on: MachineDrainRule as unknown as Kind, fields: RULE_FIELDS },
] as const;
