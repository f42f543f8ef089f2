import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraMachine } from "../../shared/contract/infra-machine.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  inClusterOf,
  inClusterOfControlPlaneMachine,
  inClusterReferencing,
  itself,
  ownedBy,
  referencing,
  referencingKind,
  sharingProviderID,
} from "../../shared/function/mappings.ts";
import { requeueAfter, waitFor } from "../../shared/function/result.ts";
import { mirroredFields } from "../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../shared/rules/conditions/deprecated-conditions.ts";
import { CLONED_FROM_FIELDS } from "../../shared/rules/machines/clones.ts";
import { MARK_FIELDS } from "../../shared/rules/machines/remediation.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { BOOTSTRAP_FIELDS } from "../../shared/rules/providers/bootstrap-data.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { applyOwnPart } from "../../shared/rules/status/own-part.ts";
import { CONNECTION_FIELDS } from "../../shared/rules/workload/connection.ts";
import { CLAIM_FIELDS } from "./rules/adoption.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { CERTIFICATE_FIELDS } from "./rules/certificates.ts";
import { turnsOf } from "./rules/conditions.ts";
import { deletionFloorMs } from "./rules/deletion-floor.ts";
import { isWordOfDrain } from "./rules/drain-turn.ts";
import { isUnguarded, machineUnguarded } from "./rules/hold.ts";
import { HOOK_FIELDS } from "./rules/hooks.ts";
import { INFRASTRUCTURE_FIELDS, PROVIDER_ID } from "./rules/infrastructure.ts";
import { justDrainedWaitMs } from "./rules/just-drained.ts";
import { newProvidersWaitMs } from "./rules/new-providers.ts";
import {
  HANDLING_CLUSTER_FIELDS,
  HANDLING_CONTROL_PLANE_FIELDS,
  HANDLING_MACHINE_FIELDS,
} from "./rules/node-handling.ts";
import { NODE_CLUSTER_FIELDS, NODE_REPORT_FIELDS, RIVAL_FIELDS } from "./rules/node-report.ts";
import { ownStatus } from "./rules/own-status.ts";
import { readProviders } from "./rules/reads.ts";
import { machineReport, pausedMachineStatus } from "./rules/status.ts";
import { undrainedWaitMs } from "./rules/undrained.ts";
import { DEPLOYMENT_FIELDS, SET_FIELDS } from "./rules/up-to-date.ts";
import { readView } from "./rules/view.ts";
import { machineWritesDue } from "./rules/writes-due.ts";

const PROVIDER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...ADOPTED_FIELDS,
  ...FAILURE_FIELDS,
  ...CLONED_FROM_FIELDS,
  ...mirroredFields("Ready"),
  DEPRECATED_CONDITIONS,
];

export const machineStatus = defineFunction(
  {
    name: "machine-status",
    summary: "Computes the status of a Machine: Node, addresses, conditions, phase.",
    source: "core/reconcilers/machine/machine_controller_status.go",
    reconciles: Machine,
    isIdle: isUnguarded,
    watches: [
      watch(
        Machine,
        [
          "metadata.uid",
          "metadata.generation",
          "metadata.labels",
          ...HOOK_FIELDS,
          ...HOLD_FIELDS,
          ...ADOPTED_FIELDS,
          "spec",
          "status",
        ],
        itself,
      ),
      watch(
        Cluster,
        [...PAUSING_FIELDS, ...CLAIM_FIELDS, ...HANDLING_CLUSTER_FIELDS, ...NODE_CLUSTER_FIELDS],
        inCluster,
      ),
      watchContract(
        BootstrapConfig,
        [...PROVIDER_FIELDS, ...BOOTSTRAP_FIELDS, ...CERTIFICATE_FIELDS],
        referencing,
      ),
      watchContract(InfraMachine, [...PROVIDER_FIELDS, ...INFRASTRUCTURE_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      watch(Node, NODE_REPORT_FIELDS, claimantsOfNode),
      watch(Machine, RIVAL_FIELDS, sharingProviderID),
      watch(Connection, [...CONNECTION_FIELDS, "status.nodesComplete"], inCluster),
      watch(MachineSet, SET_FIELDS, ownedBy),
      // Where Cluster API is installed, too.
      watch(MachineDeployment, DEPLOYMENT_FIELDS, inClusterOf),
      watch(Machine, HANDLING_MACHINE_FIELDS, inClusterOfControlPlaneMachine),
      watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
    ],
    owns: ["status"],
    inTurnWith: [
      ...["machinepool-remediate", "machineset-remediate"].flatMap((name) =>
        MARK_FIELDS.map((field) => ({
          function: name,
          on: Machine,
          field,
          reason: "machine-status leaves this condition out of its apply, always",
        })),
      ),
    ],
    contested: [DATA_SECRET_NAME, PROVIDER_ID],
    queue: { settleMs: 100, minIntervalMs: SECOND },
  },
  async (machine, context) => {
    const { read, now } = context;
    const cluster = await readCluster(read, machine);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const unready = machineUnguarded(machine);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, machine);
    if (pause !== undefined) {
      const turns = turnsOf({ machine, drainSpeaks: isWordOfDrain(machine) });
      const status = pausedMachineStatus(machine, cluster, turns, now);
      return {
        ...applyOwnPart(machine.status, ownStatus(machine.status, turns), status),
        result: waitFor(pause),
      };
    }
    const providers = await readProviders(read, machine);
    const held = heldBack(machine, now);
    if (held !== undefined && machineWritesDue(machine, cluster, providers)) return { result: held };
    const goneWithinMs = justDrainedWaitMs(machine, now);
    if (goneWithinMs !== undefined) {
      return { result: requeueAfter(goneWithinMs, "mostly it is gone by then"), notBeforeMs: goneWithinMs };
    }
    const waitMs = isDeleting(machine) ? undefined : newProvidersWaitMs(machine, providers, now);
    if (waitMs !== undefined) return { result: requeueAfter(waitMs, "objects of the provider are new") };

    const view = await readView(context, machine, cluster, providers);
    const undrainedMs = undrainedWaitMs(view);
    if (undrainedMs !== undefined) return { result: requeueAfter(undrainedMs, "the drain speaks first") };
    const { status, events, result } = machineReport(view);
    return {
      ...applyOwnPart(machine.status, ownStatus(machine.status, turnsOf(view)), status),
      events,
      ...(isDeleting(machine) ? { notBeforeMs: deletionFloorMs(machine, now) } : {}),
      result,
    };
  },
);
