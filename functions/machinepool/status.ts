import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig, bootstrapConfigPaths } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "../../shared/contract/infra-machine-pool.ts";
import { MINUTE, SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  inCluster,
  itself,
  poolOfMachine,
  poolsOfNode,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { done, requeueAfter, soonest, waitFor } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS, unguarded } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { FAILURE_FIELDS } from "../../shared/rules/providers/failures.ts";
import { referenceNotices } from "../../shared/rules/providers/reference-notices.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { awaitedCompletion } from "./rules/completion.ts";
import { awaitedDeletion } from "./rules/deletion.ts";
import { POOL_FINALIZER } from "./rules/hold.ts";
import { infraMachineKindOf, readOwnMachines } from "./rules/machines.ts";
import { type NodeReport, nodeReport } from "./rules/nodes.ts";
import { poolNotices } from "./rules/notices.ts";
import {
  readCluster,
  readNodes,
  readProviders,
  readTakers,
  readUnseen,
  seeLostInfrastructure,
} from "./rules/reads.ts";
import { deletingPoolStatus, pausedPoolStatus, poolStatus } from "./rules/status.ts";
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
  async (pool, { read, now }) => {
    const cluster = await readCluster(read, pool);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const unready = unguarded(pool, POOL_FINALIZER);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, pool);
    if (pause !== undefined) {
      return { apply: { status: pausedPoolStatus(pool, cluster, now) }, result: waitFor(pause) };
    }

    const snapshots = await readProviders(read, pool);
    if (isDeleting(pool)) {
      const status = deletingPoolStatus({ pool, cluster, providers: snapshots, now });
      const awaited = awaitedDeletion(pool, snapshots) ?? "MachinePool.metadata.finalizers";
      return { apply: { status }, notBeforeMs: 5 * SECOND, result: waitFor(awaited) };
    }
    const held = heldBack(pool, poolWritesDue(pool, cluster, snapshots), now);
    if (held !== undefined) return { result: held };

    const providers = await seeLostInfrastructure(read, pool, snapshots);
    const nodes = await readNodes(read, pool);
    const hasMachines = infraMachineKindOf(pool, providers.infrastructure) !== undefined;
    const machines = hasMachines ? await readOwnMachines(read, pool) : undefined;
    const report = nodeReport(pool, nodes, now, await readTakers(read, pool, nodes));
    const unseen = nodes === undefined ? await readUnseen(read, pool) : undefined;
    const inputs = { pool, cluster, providers, nodes, unseen, machines, now };
    const status = poolStatus(inputs, report);
    const awaited = awaitedCompletion(inputs, report, status);
    return {
      apply: { status },
      events: [
        ...poolNotices(pool, report),
        ...referenceNotices(pool, [providers.bootstrap, providers.infrastructure]),
      ],
      result: [
        awaited === undefined ? done : waitFor(awaited),
        report.nextExpiryAt === undefined
          ? done
          : requeueAfter(report.nextExpiryAt.getTime() - now.getTime(), "minReadySeconds of a Node"),
        // Another pool that takes the Node over wakes only itself.
        isLeft(report) ? requeueAfter(MINUTE, "a Node that left the list") : done,
      ].reduce(soonest),
    };
  },
);

/** Whether a Node is named that the pool no longer lists. */
function isLeft({ nodeRefs, matched }: NodeReport): boolean {
  return matched !== undefined && nodeRefs.length > matched.length;
}
