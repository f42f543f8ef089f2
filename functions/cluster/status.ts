import { Cluster, type ClusterStatus } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { sameJson } from "../../shared/api/path.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../shared/contract/infra-cluster.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import {
  type Decision,
  defineFunction,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import { clusterOf, itself, referencing, referencingKind, sameName } from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, unguarded } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { CLUSTER_FINALIZER } from "./rules/hold.ts";
import { ownStatus } from "./rules/own-status.ts";
import { readProviders } from "./rules/reads.ts";
import { clusterReport, isBroughtUp, pausedClusterStatus } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { clusterWritesDue } from "./rules/writes-due.ts";

/** Once nobody waits for the Cluster any more, a thousand pools becoming ready cost one status per second. */
const FLOOR_MS = SECOND;

const PROVIDER_FIELDS = [
  ...OWN_FIELDS,
  ...FAILURE_FIELDS,
  "status.conditions[Ready]",
  "status.v1beta2.conditions[Ready]",
] as const;

/** What the counters and conditions are computed from, of every kind of workers. */
const OF_WORKERS = [
  "metadata.uid",
  "metadata.deletionTimestamp",
  "spec.replicas",
  "status.replicas",
  "status.readyReplicas",
  "status.availableReplicas",
  "status.upToDateReplicas",
  "status.versions",
  "status.conditions[Available].status",
  "status.conditions[RollingOut].status",
  "status.conditions[ScalingUp].status",
  "status.conditions[ScalingDown].status",
] as const;

export const clusterStatus = defineFunction<Cluster, "status">(
  {
    name: "cluster-status",
    summary: "Says what is known about the Cluster.",
    source: "cluster-and-controlplane.md 3 to 6; core/reconcilers/cluster/cluster_controller_status.go",
    reconciles: Cluster,
    watches: [
      watch(
        Cluster,
        [
          "metadata.uid",
          "metadata.generation",
          ...HOLD_FIELDS,
          "metadata.annotations[runtime.cluster.x-k8s.io/ok-to-delete]",
          "spec",
          "status",
        ],
        itself,
      ),
      watchContract(
        InfraCluster,
        [...PROVIDER_FIELDS, "status.initialization.provisioned", "status.ready", "status.failureDomains"],
        referencing,
      ),
      watchContract(
        ControlPlane,
        [
          ...PROVIDER_FIELDS,
          "spec.replicas",
          "status.initialization.controlPlaneInitialized",
          "status.initialized",
          "status.replicas",
          "status.readyReplicas",
          "status.availableReplicas",
          "status.unavailableReplicas",
          "status.upToDateReplicas",
          "status.updatedReplicas",
          "status.versions",
          ...["Available", "RollingOut", "ScalingUp", "ScalingDown"].flatMap((type) => [
            `status.conditions[${type}]`,
            `status.v1beta2.conditions[${type}]`,
          ]),
        ],
        referencing,
      ),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      // Messages of conditions that stay as they are wake nobody: they would at every step of every pool.
      watch(MachinePool, OF_WORKERS, clusterOf),
      // Where Cluster API is installed, too.
      watch(MachineDeployment, [...OF_WORKERS, "status.observedGeneration"], clusterOf),
      // A deletion waits for them, and says so.
      watch(Machine, ["metadata.uid"], clusterOf),
      watch(
        Connection,
        ["metadata.uid", "status.state", "status.message", "status.lastSuccess", "status.failures"],
        sameName,
      ),
    ],
    // Whether the endpoint is still to be copied: the copy wakes.
    reads: [
      {
        on: MachineDeployment,
        fields: ["Available", "RollingOut", "ScalingUp", "ScalingDown"].map(
          (type) => `status.conditions[${type}]`,
        ),
      },
      { on: InfraCluster, fields: ["spec.controlPlaneEndpoint"] },
      { on: ControlPlane, fields: ["spec.controlPlaneEndpoint"] },
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

    const { status, events, result } = clusterReport(await readView(context, cluster, providers));
    return {
      ...applied(cluster, status),
      events,
      ...(isBroughtUp(status) ? { notBeforeMs: FLOOR_MS } : {}),
      result,
    };
  },
);

/**
 * The complete status. Left out when it differs from the stored one only by what others keep in it (conditions of
 * gates and topology): comparing with the snapshot would repeat such an apply in every run.
 */
function applied(cluster: Cluster, status: ClusterStatus): Pick<Decision<Cluster, "status">, "apply"> {
  const own = ownStatus(cluster.status);
  return sameJson(own, status) && !sameJson(own, cluster.status) ? {} : { apply: { status } };
}
