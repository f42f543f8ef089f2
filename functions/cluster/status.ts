import { Cluster, type ClusterStatus } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster, infraClusterPaths } from "../../shared/contract/infra-cluster.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import {
  type Decision,
  defineFunction,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { clusterOf, itself, referencing, referencingKind, sameName } from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { mirroredFields } from "../../shared/rules/conditions/conditions.ts";
import { DEPRECATED_CONDITIONS } from "../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { HOLD_FIELDS, unguarded } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { applyOwnPart } from "../../shared/rules/status/own-part.ts";
import { CONNECTION_FIELDS } from "../../shared/rules/workload/connection.ts";
import { CONTROL_PLANE_COUNTER_FIELDS, WORKER_COUNTER_FIELDS } from "./rules/counters.ts";
import { HOOK_FIELDS } from "./rules/deletion.ts";
import { WORKER_KINDS } from "./rules/descendants.ts";
import { ENDPOINT_FIELDS } from "./rules/endpoint.ts";
import { CLUSTER_FINALIZER } from "./rules/hold.ts";
import { INITIALIZED_FIELDS, PROVISIONED_FIELDS } from "./rules/latches.ts";
import { COUNTED_FIELDS, MEMBERSHIP_FIELDS } from "./rules/machines.ts";
import { ownStatus } from "./rules/own-status.ts";
import { readProviders } from "./rules/reads.ts";
import { clusterReport, isBroughtUp, pausedClusterStatus } from "./rules/status.ts";
import { statusFloorMs } from "./rules/status-floor.ts";
import { readView } from "./rules/view.ts";
import {
  clusterOfControlPlane,
  clusterOfMachine,
  clusterOfTroubled,
  MACHINE_MESSAGE_FIELDS,
  MESSAGE_FIELDS,
  REPEATED_FIELDS,
} from "./rules/wakes.ts";
import { CONTROL_PLANE_CONDITION_FIELDS, WORKER_CONDITION_FIELDS } from "./rules/worker-conditions.ts";
import { clusterWritesDue } from "./rules/writes-due.ts";

const PROVIDER_FIELDS = [...OWN_FIELDS, ...FAILURE_FIELDS, ...mirroredFields("Ready"), DEPRECATED_CONDITIONS];

const WORKER_FIELDS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  ...WORKER_COUNTER_FIELDS,
  ...WORKER_CONDITION_FIELDS,
] as const;

export const clusterStatus = defineFunction<Cluster, "status">(
  {
    name: "cluster-status",
    summary: "Computes the status of a Cluster: counters, conditions, phase.",
    source: "core/reconcilers/cluster/cluster_controller_status.go",
    reconciles: Cluster,
    watches: [
      watch(
        Cluster,
        ["metadata.uid", "metadata.generation", ...HOLD_FIELDS, ...HOOK_FIELDS, "spec", "status"],
        itself,
      ),
      watchContract(
        InfraCluster,
        [...PROVIDER_FIELDS, ...PROVISIONED_FIELDS, ...infraClusterPaths("failureDomains")],
        referencing,
      ),
      watchContract(
        ControlPlane,
        [
          ...PROVIDER_FIELDS,
          ...INITIALIZED_FIELDS,
          ...CONTROL_PLANE_COUNTER_FIELDS,
          ...mirroredFields("Available"),
          ...CONTROL_PLANE_CONDITION_FIELDS,
        ],
        referencing,
      ),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      ...WORKER_KINDS.flatMap(({ kind, countedBy }) => [
        watch(kind, [...WORKER_FIELDS, ...countedBy] as unknown as typeof WORKER_FIELDS, clusterOf),
        watch(kind, MESSAGE_FIELDS, clusterOfTroubled),
      ]),
      // A deletion waits for all of them, and says so.
      watch(Machine, ["metadata.uid"], clusterOf),
      watch(Machine, [...MEMBERSHIP_FIELDS, ...COUNTED_FIELDS], clusterOfMachine),
      watch(Machine, MACHINE_MESSAGE_FIELDS, clusterOfTroubled),
      watch(Machine, ["status.nodeRef"], clusterOfControlPlane),
      watch(Connection, CONNECTION_FIELDS, sameName),
    ],
    // Whether the endpoint is still to be copied: the copy wakes.
    reads: [
      // Reasons stand in for missing messages.
      ...WORKER_KINDS.map(({ kind: on }) => ({ on, fields: REPEATED_FIELDS })),
      { on: Machine, fields: MACHINE_CONDITION_FIELDS },
      { on: InfraCluster, fields: ENDPOINT_FIELDS },
      { on: ControlPlane, fields: ENDPOINT_FIELDS },
    ],
    owns: ["status"],
    queue: { settleMs: 50 },
  },
  async (cluster, context) => {
    const { read, now } = context;
    const unready = unguarded(cluster, CLUSTER_FINALIZER);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, cluster);
    if (pause !== undefined) {
      return { ...applied(cluster, pausedClusterStatus(cluster, now)), result: waitFor(pause) };
    }
    const providers = await readProviders(read, cluster);
    const held = heldBack(cluster, now);
    if (held !== undefined && clusterWritesDue(cluster, providers)) return { result: held };

    const view = await readView(context, cluster, providers);
    const { status, events, result } = clusterReport(view);
    return {
      ...applied(cluster, status),
      events,
      ...(isBroughtUp(status) ? { notBeforeMs: statusFloorMs(view) } : {}),
      result,
    };
  },
);

function applied(
  cluster: Cluster,
  status: ClusterStatus,
): Pick<Decision<Cluster, "status">, "apply" | "own"> {
  return applyOwnPart(cluster.status, ownStatus(cluster.status), status);
}
