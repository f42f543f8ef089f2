import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { MINUTE, SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { claimantsOfNode, inCluster, itself, poolOfMachine } from "../../shared/function/mappings.ts";
import { done, requeueAfter, soonest, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { clusterKeyOf, readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
import { readOwnMachines } from "./rules/machines.ts";
import { belongsElsewhere, MARK_FIELDS, nodeMarksPatch } from "./rules/node-marks.ts";
import { hasCompleteView, NODE_FIELDS, readRivals } from "./rules/reads.ts";

/** Nodes of one run, of which a workload server takes 100 a second from us (KC-09). */
const AT_ONCE = 500;

export const machinepoolNodes = defineFunction(
  {
    name: "machinepool-nodes",
    summary: "Marks the Nodes of a MachinePool as its own and opens them for pods.",
    source: "core/reconcilers/machinepool/machinepool_controller_noderef.go",
    reconciles: MachinePool,
    actsOn: "living",
    isIdle: (pool) => isUnguarded(pool) || !pool.spec.providerIDList?.length,
    watches: [
      watch(MachinePool, [...HOLD_FIELDS, "spec.providerIDList"], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watch(Node, [...NODE_FIELDS, ...MARK_FIELDS], claimantsOfNode),
      watch(Machine, ["metadata.uid", ...OWNER_FIELDS, "spec.providerID", "status.nodeRef"], poolOfMachine),
    ],
    owns: [],
    ownsOn: [{ kind: Node, fields: MARK_FIELDS }],
    // Nodes of a large pool come and go together: one run for all of them.
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 100 },
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };
    if (!(await hasCompleteView(read, pool))) return { result: waitFor("Connection.status.nodesComplete") };

    const cluster = workloadCluster(clusterKeyOf(pool));
    const index = { name: "providerID", values: pool.spec.providerIDList ?? [] };
    const nodes = await read.list(Node, { index }, cluster);
    const machines = await readOwnMachines(read, pool);
    const rivals = await readRivals(read, pool, nodes);
    const taken = new Set(nodes.filter((node) => belongsElsewhere(pool, node, rivals)));
    const claimed = new Set(machines.flatMap(({ spec, status }) => [spec.providerID, status?.nodeRef?.name]));
    claimed.delete(undefined);
    const unmarked = nodes
      .filter((node) => !taken.has(node))
      .map((node) => ({
        // The kubelet writes all the time: a test of the version would lose against it.
        target: { ...refTo(Node, node, cluster), resourceVersion: undefined },
        operations: nodeMarksPatch(pool, node, isClaimed(claimed, node)),
      }))
      .filter(({ operations }) => operations.length > 0);
    return {
      patch: unmarked.slice(0, AT_ONCE),
      events: [...taken].map(({ metadata }) => ({
        type: "Warning",
        reason: "SharedNode",
        message: `Node ${metadata.name} is listed by an older MachinePool, too, and belongs to that one`,
      })),
      // The other pool's list wakes only that pool. Nodes that were marked bring the key back at once.
      result: soonest(
        unmarked.length > AT_ONCE ? requeueAfter(SECOND, "more Nodes to mark") : done,
        taken.size > 0 ? requeueAfter(MINUTE, "a Node listed by two pools") : done,
      ),
    };
  },
);

/** Whether a Machine of the pool has the Node's provider ID, or names it. */
function isClaimed(claimed: ReadonlySet<string | undefined>, { metadata, spec }: Node): boolean {
  return claimed.has(spec?.providerID) || claimed.has(metadata.name);
}
