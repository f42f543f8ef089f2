import { formatTable } from "../../infra/platform/terminal/table.ts";

/**
 * Costs of one workload, from creation to Running, on a real kube-apiserver. Cluster API's figures and the goals
 * were measured and set once, on 2 cores, with kube-apiserver 1.34.2.
 */
export interface Cost {
  readonly seconds: number;
  /** Without Events. */
  readonly requestsPerPool: number;
  readonly cpuSecondsPerPool: number;
  readonly peakMiB: number;
}

interface Comparison {
  readonly goal: Cost;
  /** Cluster API v1.14.0's manager with equal client limits; without its 1.2 Events per pool. */
  readonly clusterApi: Cost;
}

/** Pools of three in one Cluster, by their number. */
export const POOL_GOALS: ReadonlyMap<number, Comparison> = new Map([
  [
    200,
    {
      goal: { seconds: 5, requestsPerPool: 10, cpuSecondsPerPool: 0.035, peakMiB: 218 },
      clusterApi: { seconds: 13, requestsPerPool: 12.3, cpuSecondsPerPool: 0.035, peakMiB: 218 },
    },
  ],
  [
    1_000,
    {
      goal: { seconds: 30, requestsPerPool: 10, cpuSecondsPerPool: 0.072, peakMiB: 798 },
      clusterApi: { seconds: 75, requestsPerPool: 12, cpuSecondsPerPool: 0.072, peakMiB: 798 },
    },
  ],
]);

/** 200 Clusters with one pool of 50 each. Requests are those to the management server. */
export const CLUSTER_GOALS: Comparison = {
  goal: { seconds: 12, requestsPerPool: 14.4, cpuSecondsPerPool: 0.083, peakMiB: 315 },
  clusterApi: { seconds: 24, requestsPerPool: 14.4, cpuSecondsPerPool: 0.083, peakMiB: 315 },
};

/** Row of a table NAME, MEASURED, GOAL: a figure above its goal says so. */
export function goalRow(name: string, measured: number, goal: number): readonly string[] {
  return [name, String(measured), String(goal), measured > goal ? "missed" : ""];
}

/** A line per figure that there is a goal for; a figure that misses it says so. */
export function formatGoals(what: string, cost: Cost, { goal, clusterApi }: Comparison): string {
  const names = ["seconds", "requestsPerPool", "cpuSecondsPerPool", "peakMiB"] as const;
  const rows = names.map((name) => [
    name,
    String(cost[name]),
    String(goal[name]),
    String(clusterApi[name]),
    cost[name] <= goal[name] ? "" : "missed",
  ]);
  return formatTable([what, "CAPSTAN", "GOAL", "CLUSTER API", ""], rows);
}
