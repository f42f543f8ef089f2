import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig, bootstrapConfigPaths } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "../../shared/contract/infra-machine-pool.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  inCluster,
  itself,
  poolOfMachine,
  poolsOfNode,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS, unguarded } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { POOL_FINALIZER } from "./rules/hold.ts";
import { readCluster, readProviders } from "./rules/reads.ts";
import { deletingPoolReport, pausedPoolStatus, poolReport } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { poolWritesDue } from "./rules/writes-due.ts";

const PROVIDER_FIELDS = [
  ...OWN_FIELDS,
  "metadata.labels[cluster.x-k8s.io/cluster-name]",
  ...FAILURE_FIELDS,
  "status.conditions[Ready]",
  "status.v1beta2.conditions[Ready]",
];
const BOOTSTRAP_FIELDS = bootstrapConfigPaths("dataSecretCreated", "dataSecretName");
const INFRASTRUCTURE_FIELDS = infraMachinePoolPaths(
  "providerIDList",
  "ready",
  "provisioned",
  "replicas",
  "infrastructureMachineKind",
);

const MACHINE_CONDITIONS = [
  "status.conditions[Ready]",
  "status.conditions[Available].status",
  "status.conditions[UpToDate]",
  "status.conditions[HealthCheckSucceeded].status",
  "status.conditions[OwnerRemediated]",
] as const;

export const machinepoolStatus = defineFunction(
  {
    name: "machinepool-status",
    summary: "Says what is known about a MachinePool: refs, counters, conditions, phase.",
    source: "machinepool.md 6.3, 6.5, 7, 8 and 11",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS,
          "metadata.labels[cluster.x-k8s.io/cluster-name]",
          "metadata.ownerReferences",
          "metadata.annotations[cluster.x-k8s.io/replicas-managed-by]",
          "spec",
          "status",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapConfig, [...PROVIDER_FIELDS, ...BOOTSTRAP_FIELDS], referencing),
      watchContract(InfraMachinePool, [...PROVIDER_FIELDS, ...INFRASTRUCTURE_FIELDS], referencing),
      watch(CustomResourceDefinition, ["metadata.uid", "metadata.labels"], referencingKind),
      watch(
        Node,
        [
          "metadata.uid",
          "spec.providerID",
          "status.conditions[Ready].status",
          "status.conditions[Ready].lastTransitionTime",
          "status.nodeInfo.kubeletVersion",
        ],
        poolsOfNode,
      ),
      watch(
        Machine,
        [
          "metadata.uid",
          "metadata.labels[cluster.x-k8s.io/pool-name]",
          "metadata.labels[cluster.x-k8s.io/cluster-name]",
          "metadata.ownerReferences",
          "spec.version",
          "status.nodeInfo.kubeletVersion",
          ...MACHINE_CONDITIONS,
        ],
        poolOfMachine,
      ),
      watch(Connection, ["status.state", "status.nodesComplete", "status.message"], inCluster),
    ],
    owns: ["status"],
    contested: ["spec.template.spec.bootstrap.dataSecretName"],
    queue: { settleMs: 50, minIntervalMs: SECOND },
  },
  async (pool, context) => {
    const { read, now } = context;
    const cluster = await readCluster(read, pool);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const unready = unguarded(pool, POOL_FINALIZER);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, pool);
    if (pause !== undefined) {
      return { apply: { status: pausedPoolStatus(pool, cluster, now) }, result: waitFor(pause) };
    }

    const providers = await readProviders(read, pool);
    if (isDeleting(pool)) {
      const { status, events, result } = deletingPoolReport({ pool, cluster, providers, now });
      return { apply: { status }, events, notBeforeMs: 5 * SECOND, result };
    }
    const held = heldBack(pool, now);
    if (held !== undefined && poolWritesDue(pool, cluster, providers)) return { result: held };

    const { status, events, result } = poolReport(await readView(context, pool, cluster, providers));
    return { apply: { status }, events, result };
  },
);
