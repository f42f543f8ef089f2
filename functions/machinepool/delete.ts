import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import {
  type Decision,
  defineFunction,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  itself,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { removeFinalizerPatch } from "../../shared/rules/metadata/finalizers.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { clusterKeyOf } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { awaitedDeletion, remainingProviders } from "./rules/deletion.ts";
import { POOL_FINALIZER } from "./rules/hold.ts";
import { type NodesLeft, nodeDeletionResult, readNodesLeft, undeletedNodes } from "./rules/node-deletion.ts";
import { CONNECTED_FIELDS, readLive, readProviders } from "./rules/reads.ts";

/**
 * Nodes of one run, of which a workload server takes 100 a second from us (KC-09); those that go bring the
 * key back.
 */
const AT_ONCE = 500;

export const machinepoolDelete = defineFunction(
  {
    name: "machinepool-delete",
    summary: "Takes a deleted MachinePool apart: bootstrap and infrastructure object, Nodes, finalizer.",
    source: "core/reconcilers/machinepool/machinepool_controller.go",
    reconciles: MachinePool,
    actsOn: "deleting",
    watches: [
      watch(MachinePool, [...HOLD_FIELDS, "spec.template.spec.deletion.nodeDeletionTimeoutSeconds"], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(Connection, CONNECTED_FIELDS, inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", ...OWNER_FIELDS], referencing),
      watchContract(InfraMachinePool, ["metadata.uid", ...OWNER_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      watch(Node, ["metadata.uid"], claimantsOfNode),
    ],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: ["metadata.finalizers"] }],
    inTurnWith: [
      {
        function: "machinepool-guard",
        on: MachinePool,
        field: "metadata.finalizers",
        reason: "the guard adds its finalizer before the deletion, delete removes it at the end of it",
      },
    ],
    calls: [
      { verb: "delete", kind: BootstrapConfig },
      { verb: "delete", kind: InfraMachinePool },
      { verb: "delete", kind: Node, limited: true },
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
          .map(({ kind, object }) => ({ target: { ...refTo(kind, object), resourceVersion: undefined } })),
        result: waitFor(awaited),
      };
    }

    const released = {
      patch: [{ target: refTo(MachinePool, pool), operations: removeFinalizerPatch(pool, POOL_FINALIZER) }],
      result: done,
    };
    // Without its Cluster the Nodes cannot be reached; they went with it.
    if (cluster === undefined || (pool.status?.nodeRefs ?? []).length === 0) return released;

    const left = await readNodesLeft(read, pool);
    if (left.state === "found" && left.nodes.length === 0) return released;
    const result = nodeDeletionResult(pool, left, now);
    // One attempt is made even after the timeout; it only ends the retries.
    return result === undefined
      ? { ...attemptOn(pool, left), ...released }
      : { ...attemptOn(pool, left, AT_ONCE), result };
  },
);

/** Deletes the Nodes that are left; an Event of the pool reports a refusal. */
function attemptOn(
  pool: MachinePool,
  left: NodesLeft,
  atMost = Number.POSITIVE_INFINITY,
): Pick<Decision<MachinePool, never>, "delete" | "events"> {
  const reason = "FailedDeleteNode";
  if (left.state === "unreadable") return { events: [{ type: "Warning", reason, message: left.message }] };
  const cluster = workloadCluster(clusterKeyOf(pool));
  return {
    delete: undeletedNodes(left)
      .slice(0, atMost)
      .map((node) => ({
        target: { ...refTo(Node, node, cluster), resourceVersion: undefined },
        ifFails: { event: reason },
      })),
  };
}
