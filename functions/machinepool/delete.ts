import { Cluster } from "../../shared/api/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { removeFinalizerPatch } from "../../shared/rules/finalizers.ts";
import { isPaused } from "../../shared/rules/paused.ts";
import {
  nodeDeletionEndsAt,
  remainingProviders,
  unreadableProviders,
} from "../../shared/rules/pool-deletion.ts";
import { POOL_FINALIZER } from "../../shared/rules/pool-hold.ts";
import {
  clusterKeyOf,
  isConnected,
  readLive,
  readLiveNodes,
  readProviders,
} from "../../shared/rules/pool-reads.ts";
import { defineFunction, watch, watchContract } from "../../shared/runtime/define-function.ts";
import {
  inCluster,
  itself,
  poolsOfNode,
  referencing,
  referencingKind,
} from "../../shared/runtime/mappings.ts";
import { done, requeueAfter, waitFor } from "../../shared/runtime/result.ts";

export const machinepoolDelete = defineFunction(
  {
    name: "machinepool-delete",
    summary: "Takes a deleted MachinePool apart: bootstrap and infrastructure object, Nodes, finalizer.",
    source: "machinepool.md 13",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          "metadata.deletionTimestamp",
          "metadata.finalizers",
          "metadata.annotations[cluster.x-k8s.io/paused]",
          "spec.template.spec.deletion.nodeDeletionTimeoutSeconds",
        ],
        itself,
      ),
      watch(Cluster, ["metadata.uid", "spec.paused"], inCluster),
      watch(Connection, ["status.state"], inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", "metadata.ownerReferences"], referencing),
      watchContract(InfraMachinePool, ["metadata.uid", "metadata.ownerReferences"], referencing),
      watch(CustomResourceDefinition, ["metadata.uid", "metadata.labels"], referencingKind),
      watch(Node, ["metadata.uid"], poolsOfNode),
    ],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: ["metadata.finalizers"] }],
    calls: [
      { verb: "delete", kind: BootstrapConfig },
      { verb: "delete", kind: InfraMachinePool },
      { verb: "delete", kind: Node },
    ],
  },
  async (snapshot, { read, now }) => {
    if (snapshot.metadata.deletionTimestamp === undefined) return { result: done };
    const live = await readLive(read, snapshot);
    if (live === undefined) return { result: done };
    const { pool, cluster } = live;
    if (isPaused(cluster, pool)) return { result: waitFor("Cluster.spec.paused") };

    const providers = await readProviders(read.live, pool);
    const remaining = remainingProviders(pool, providers);
    if (remaining.length > 0) {
      return {
        delete: remaining
          .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
          .map(({ kind, object }) => ({ ...refTo(kind, object), resourceVersion: undefined })),
        result: waitFor("InfraMachinePool.metadata.uid"),
      };
    }
    const unreadable = unreadableProviders(providers);
    if (unreadable !== undefined) return { result: waitFor("CustomResourceDefinition.metadata.labels") };

    const released = {
      patch: [{ target: refTo(MachinePool, pool), operations: removeFinalizerPatch(pool, POOL_FINALIZER) }],
      result: done,
    };
    // Without its Cluster nobody knows the way to the Nodes; they went with it.
    if (cluster === undefined || (pool.status?.nodeRefs ?? []).length === 0) return released;

    const endsAt = nodeDeletionEndsAt(pool);
    const expired = endsAt !== undefined && endsAt <= now;
    const retry =
      endsAt === undefined
        ? waitFor("Connection.status.state")
        : requeueAfter(endsAt.getTime() - now.getTime(), "the node deletion timeout");
    if (!(await isConnected(read, pool))) return expired ? released : { result: retry };

    const nodes = await readLiveNodes(read, pool);
    if (nodes.length === 0) return released;
    const doomed = nodes
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((node) => ({
        ...refTo(Node, node, workloadCluster(clusterKeyOf(pool))),
        resourceVersion: undefined,
      }));
    // One attempt is made even after the timeout; it only ends the retries.
    return expired ? { ...released, delete: doomed, releaseAnyway: true } : { delete: doomed, result: retry };
  },
);
