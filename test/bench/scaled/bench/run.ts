import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { inCluster, itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";

/** One of so many runs asks the API server: a pool takes 37 runs and 8 writes until it is Running. */
const RUNS_PER_REQUEST = 4;

/** The cost of a run whatever it decides: snapshots from Redis, and now and then a request. */
export const benchRun = defineFunction(
  {
    name: "bench-run",
    summary: "Reads a MachinePool and its Cluster, and one time in four the MachinePool from the API server.",
    source: "own",
    reconciles: MachinePool,
    watches: [
      watch(MachinePool, ["metadata.uid", "spec.clusterName"], itself),
      watch(Cluster, ["metadata.uid"], inCluster),
    ],
    owns: [],
    queue: { concurrency: 20 },
  },
  async (pool, { read }) => {
    const { namespace = "", name } = pool.metadata;
    await read.get(Cluster, { namespace, name: pool.spec.clusterName });
    const number = Number(name.slice(name.lastIndexOf("-") + 1));
    if (number % RUNS_PER_REQUEST === 0) await read.live.get(MachinePool, { namespace, name });
    return { result: done };
  },
);
