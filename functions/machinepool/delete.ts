import { Cluster } from "../../shared/api/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { removeFinalizerPatch } from "../../shared/rules/finalizers.ts";
import { pausedBy } from "../../shared/rules/paused.ts";
import { awaitedDeletion, nodeDeletionEndsAt, remainingProviders } from "../../shared/rules/pool-deletion.ts";
import { POOL_FINALIZER } from "../../shared/rules/pool-hold.ts";
import {
  clusterKeyOf,
  isConnected,
  readLive,
  readLiveNodes,
  readProviders,
} from "../../shared/rules/pool-reads.ts";
import {
  defineFunction,
  type StepContext,
  watch,
  watchContract,
} from "../../shared/runtime/define-function.ts";
import { KubeError, WaitingError } from "../../shared/runtime/errors.ts";
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
    queue: { concurrency: 20, maxRunningPerTenant: 5 },
  },
  async (snapshot, { read, now }) => {
    if (snapshot.metadata.deletionTimestamp === undefined) return { result: done };
    const live = await readLive(read, snapshot);
    if (live === undefined) return { result: done };
    const { pool, cluster } = live;
    const pause = pausedBy(cluster, pool);
    if (pause !== undefined) return { result: waitFor(pause) };

    const providers = await readProviders(read.live, pool);
    const awaited = awaitedDeletion(pool, providers);
    if (awaited !== undefined) {
      return {
        delete: remainingProviders(pool, providers)
          .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
          .map(({ kind, object }) => ({ ...refTo(kind, object), resourceVersion: undefined })),
        result: waitFor(awaited),
      };
    }

    const released = {
      patch: [{ target: refTo(MachinePool, pool), operations: removeFinalizerPatch(pool, POOL_FINALIZER) }],
      result: done,
    };
    // Without its Cluster nobody knows the way to the Nodes; they went with it.
    if (cluster === undefined || (pool.status?.nodeRefs ?? []).length === 0) return released;

    const endsAt = nodeDeletionEndsAt(pool);
    const expired = endsAt !== undefined && endsAt <= now;
    const nodes = await reachableNodes(read, pool, expired);
    if (nodes?.length === 0) return released;
    const doomed = (nodes ?? [])
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((node) => ({
        ...refTo(Node, node, workloadCluster(clusterKeyOf(pool))),
        resourceVersion: undefined,
      }));
    // One attempt is made even after the timeout; it only ends the retries.
    if (expired) return { ...released, delete: doomed, releaseAnyway: true };
    const wait = waitFor(nodes === undefined ? "Connection.status.state" : "Node.metadata.uid");
    return {
      delete: doomed,
      result:
        endsAt === undefined
          ? wait
          : requeueAfter(endsAt.getTime() - now.getTime(), "the node deletion timeout"),
    };
  },
);

/**
 * The Nodes behind the refs, live; `undefined` while the workload cluster is not connected. A read that fails is
 * tried again with backoff, but after the timeout it was the last attempt.
 */
async function reachableNodes(
  read: StepContext["read"],
  pool: MachinePool,
  expired: boolean,
): Promise<readonly Node[] | undefined> {
  if (!(await isConnected(read, pool))) return undefined;
  try {
    return await readLiveNodes(read, pool);
  } catch (error) {
    if (error instanceof WaitingError || (expired && error instanceof KubeError)) return undefined;
    throw error;
  }
}
