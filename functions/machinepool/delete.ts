import { Connection, MachinePool, Node, refTo, workloadCluster } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachinePool } from "../../shared/contract/entry.ts";
import {
  claimantsOfNode,
  clusterKeyOf,
  type Decision,
  defineFunction,
  deleting,
  done,
  FINALIZERS,
  inCluster,
  isDeleting,
  itself,
  unpaused,
  waitFor,
  watch,
  watchReferenced,
} from "../../shared/function/define-function.ts";
import { OWNER_FIELDS, removeFinalizerPatch } from "../../shared/rules/entry.ts";
import { awaitedDeletion, remainingProviders } from "./rules/deletion.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { type NodesLeft, nodeDeletionResult, readNodesLeft, undeletedNodes } from "./rules/node-deletion.ts";
import { CONNECTED_FIELDS, readProviders } from "./rules/reads.ts";

/**
 * Nodes of one run, of which a workload server takes 100 a second from us (KC-09); those that go bring the key back.
 */
const AT_ONCE = 500;

export const machinepoolDelete = defineFunction(
  {
    name: "machinepool-delete",
    summary:
      "Deletes bootstrap and infrastructure object and Nodes of a deleted MachinePool, then its finalizer.",
    source: "core/reconcilers/machinepool/machinepool_controller.go",
    reconciles: MachinePool,
    actsOn: "deleting",
    when: [deleting, unpaused],
    watches: [
      watch(MachinePool, [FINALIZERS, "spec.template.spec.deletion.nodeDeletionTimeoutSeconds"], itself),
      watch(Connection, CONNECTED_FIELDS, inCluster),
      watchReferenced([BootstrapConfig, OWNER_FIELDS], [InfraMachinePool, OWNER_FIELDS]),
      watch(Node, ["metadata.uid"], claimantsOfNode),
    ],
    releases: POOL_FINALIZER,
    calls: [
      { verb: "delete", kind: BootstrapConfig },
      { verb: "delete", kind: InfraMachinePool },
      { verb: "delete", kind: Node, limited: true },
    ],
    queue: { concurrency: 20, maxRunningPerTenant: 5 },
  },
  async (_, { read, now, live }) => {
    const seen = await live();
    if ("result" in seen) return seen;
    const { object: pool, cluster } = seen;
    const providers = await readProviders(read.live, pool);
    const awaited = awaitedDeletion(pool, providers);
    if (awaited !== undefined) {
      return {
        delete: remainingProviders(pool, providers)
          .filter(({ object }) => !isDeleting(object))
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
