import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "../../shared/contract/infra-machine-pool.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { claimantsOfNode, inCluster, itself, referencing } from "../../shared/function/mappings.ts";
import { done, requeueAfter, waitFor } from "../../shared/function/result.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { clusterKeyOf, readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { readNodesLive } from "../../shared/rules/workload/read-nodes-live.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
import { isContested, type Rivals } from "./rules/node-marks.ts";
import {
  NODE_FIELDS,
  readLive,
  readNodes,
  readProviders,
  readRivals,
  readRivalsLive,
} from "./rules/reads.ts";
import { RETIREMENT_FIELDS, retiredNodes } from "./rules/retired-nodes.ts";

/** Nodes of one run: two requests each, of which a workload server takes 100 a second from us (KC-09). */
const AT_ONCE = 500;

export const machinepoolRetire = defineFunction(
  {
    name: "machinepool-retire",
    summary: "Deletes the Nodes whose instance has left the MachinePool.",
    source: "core/reconcilers/machinepool/machinepool_controller_noderef.go",
    reconciles: MachinePool,
    actsOn: "living",
    isIdle: (pool) => isUnguarded(pool) || !pool.status?.nodeRefs?.length,
    watches: [
      watch(MachinePool, [...HOLD_FIELDS, ...RETIREMENT_FIELDS], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(
        InfraMachinePool,
        ["metadata.uid", ...OWNER_FIELDS, ...infraMachinePoolPaths("providerIDList")],
        referencing,
      ),
      watch(Node, NODE_FIELDS, claimantsOfNode),
    ],
    owns: [],
    calls: [{ verb: "delete", kind: Node, limited: true }],
    // Nodes of a large pool come and go together: one run for all of them.
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 100 },
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };
    const nodes = await readNodes(read, pool);
    if (nodes === undefined) return { result: waitFor("Connection.status.nodesComplete") };
    const shown = await readProviders(read, pool);
    const gone = retiredNodes(pool, shown.infrastructure, nodes);
    const departed = retirable(gone, await readRivals(read, pool, gone));
    const batch = departed.slice(0, AT_ONCE);
    if (batch.length === 0) return { result: done };

    // Snapshots only say where to look; what is deleted is decided on live reads, the newest of the pool itself.
    const cluster = workloadCluster(clusterKeyOf(pool));
    const names = batch.map(({ metadata }) => metadata.name);
    const liveNodes = await readNodesLive(read.live, names, cluster);
    const rivals = await readRivalsLive(read.live, pool, liveNodes);
    const live = await readLive(read, pool);
    if (live === undefined) return { result: done };
    const liveHold = poolHold(live.pool, live.cluster);
    if (liveHold !== undefined) return { result: liveHold };
    const { infrastructure } = await readProviders(read.live, live.pool);
    const retired = retirable(retiredNodes(live.pool, infrastructure, liveNodes), rivals);
    return {
      delete: retired.map((node) => ({ target: refTo(Node, node, cluster) })),
      // The Nodes that go bring the key back at once; this is for a batch of which none goes.
      result: departed.length > batch.length ? requeueAfter(SECOND, "more Nodes to retire") : done,
    };
  },
);

/** Without those that are being deleted already, and those that another pool lists. */
function retirable(nodes: readonly Node[], rivals: Rivals): readonly Node[] {
  return nodes.filter((node) => node.metadata.deletionTimestamp === undefined && !isContested(node, rivals));
}
