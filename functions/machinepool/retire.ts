import { Cluster } from "../../shared/api/cluster.ts";
import { Connection, Node } from "../../shared/api/core.ts";
import { objectKeyOf, refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { InfraMachinePool, infraMachinePoolPaths } from "../../shared/contract/infra-machine-pool.ts";
import { poolHold } from "../../shared/rules/pool-hold.ts";
import { isListedBy } from "../../shared/rules/pool-node-marks.ts";
import {
  clusterKeyOf,
  readCluster,
  readLive,
  readNodes,
  readProviders,
  readRivals,
} from "../../shared/rules/pool-reads.ts";
import { departedNodes, retiredNodes } from "../../shared/rules/pool-retired-nodes.ts";
import { defineFunction, watch, watchContract } from "../../shared/runtime/define-function.ts";
import { inCluster, itself, poolsOfNode, referencing } from "../../shared/runtime/mappings.ts";
import { done, waitFor } from "../../shared/runtime/result.ts";

export const machinepoolRetire = defineFunction(
  {
    name: "machinepool-retire",
    summary: "Deletes the Nodes whose instance has left the MachinePool.",
    source: "machinepool.md 6.4",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          "metadata.finalizers",
          "metadata.deletionTimestamp",
          "metadata.annotations[cluster.x-k8s.io/paused]",
          "spec.providerIDList",
          "spec.replicas",
          "status.nodeRefs",
        ],
        itself,
      ),
      watch(Cluster, ["metadata.uid", "spec.paused"], inCluster),
      watch(Connection, ["status.state", "status.nodesComplete"], inCluster),
      watchContract(
        InfraMachinePool,
        ["metadata.uid", "metadata.ownerReferences", ...infraMachinePoolPaths("providerIDList")],
        referencing,
      ),
      watch(Node, ["metadata.uid", "spec.providerID"], poolsOfNode),
    ],
    owns: [],
    calls: [{ verb: "delete", kind: Node }],
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };
    const nodes = await readNodes(read, pool);
    if (nodes === undefined) return { result: waitFor("Connection.status.nodesComplete") };
    const departed = departedNodes(pool, nodes);
    if (departed.length === 0) return { result: done };

    // Snapshots only say where to look; what is deleted is decided on live reads (F-20).
    const live = await readLive(read, pool);
    if (live === undefined) return { result: done };
    const liveHold = poolHold(live.pool, live.cluster);
    if (liveHold !== undefined) return { result: liveHold };

    const cluster = workloadCluster(clusterKeyOf(pool));
    const { infrastructure } = await readProviders(read.live, live.pool);
    const liveNodes = await Promise.all(
      departed.map((node) => read.live.get(Node, objectKeyOf(node), cluster)),
    );
    const retired = retiredNodes(
      live.pool,
      infrastructure,
      liveNodes.filter((node) => node !== undefined),
    );
    const rivals = await readRivals(read, live.pool, retired);
    return {
      delete: retired.filter((node) => !isListedBy(rivals, node)).map((node) => refTo(Node, node, cluster)),
      result: done,
    };
  },
);
