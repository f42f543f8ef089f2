import { Connection, Machine, MachinePool, Node, refTo, workloadCluster } from "../../shared/api/entry.ts";
import {
  claimantsOfNode,
  clusterKeyOf,
  defineFunction,
  done,
  inCluster,
  itself,
  MINUTE,
  poolOfMachine,
  requeueAfter,
  SECOND,
  soonest,
  waitFor,
  watch,
  workable,
} from "../../shared/function/define-function.ts";
import { COMPLETE_VIEW_FIELDS, OWNER_FIELDS } from "../../shared/rules/entry.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
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
    when: workable(POOL_FINALIZER),
    isIdle: (pool) => !pool.spec.providerIDList?.length,
    watches: [
      watch(MachinePool, ["spec.providerIDList"], itself),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watch(Node, [...NODE_FIELDS, ...MARK_FIELDS], claimantsOfNode),
      watch(Machine, ["metadata.uid", ...OWNER_FIELDS, "spec.providerID", "status.nodeRef"], poolOfMachine),
    ],
    ownsOn: [{ kind: Node, fields: MARK_FIELDS }],
    // Nodes of a large pool come and go together: one run for all of them.
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 100 },
  },
  async (pool, { read }) => {
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
