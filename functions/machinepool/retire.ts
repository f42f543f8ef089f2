import { Connection, MachinePool, Node, refTo, workloadCluster } from "../../shared/api/entry.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "../../shared/contract/entry.ts";
import {
  claimantsOfNode,
  clusterKeyOf,
  defineFunction,
  done,
  inCluster,
  isDeleting,
  itself,
  referencing,
  requeueAfter,
  SECOND,
  waitFor,
  watch,
  watchContract,
  workable,
} from "../../shared/function/define-function.ts";
import { COMPLETE_VIEW_FIELDS, OWNER_FIELDS } from "../../shared/rules/entry.ts";
import { readNodesLive } from "../../shared/rules/workload/read-nodes-live.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { isContested, type Rivals } from "./rules/node-marks.ts";
import { NODE_FIELDS, readNodes, readProviders, readRivals, readRivalsLive } from "./rules/reads.ts";
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
    when: workable(POOL_FINALIZER),
    isIdle: (pool) => !pool.status?.nodeRefs?.length,
    watches: [
      watch(MachinePool, RETIREMENT_FIELDS, itself),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(
        InfraMachinePool,
        ["metadata.uid", ...OWNER_FIELDS, ...infraMachinePoolPaths("providerIDList")],
        referencing,
      ),
      watch(Node, NODE_FIELDS, claimantsOfNode),
    ],
    calls: [{ verb: "delete", kind: Node, limited: true }],
    // Nodes of a large pool come and go together: one run for all of them.
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 100 },
  },
  async (pool, { read, live }) => {
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
    const seen = await live();
    if ("result" in seen) return seen;
    const { infrastructure } = await readProviders(read.live, seen.object);
    const retired = retirable(retiredNodes(seen.object, infrastructure, liveNodes), rivals);
    return {
      delete: retired.map((node) => ({ target: refTo(Node, node, cluster) })),
      // The Nodes that go bring the key back at once; this is for a batch of which none goes.
      result: departed.length > batch.length ? requeueAfter(SECOND, "more Nodes to retire") : done,
    };
  },
);

/** Returns the Nodes without those that are being deleted already, and those that another pool lists. */
function retirable(nodes: readonly Node[], rivals: Rivals): readonly Node[] {
  return nodes.filter((node) => !isDeleting(node) && !isContested(node, rivals));
}
