import { Cluster, type ClusterStatus } from "../../shared/api/entry.ts";
import { type Decision, defineFunction, guarded, unpaused } from "../../shared/function/define-function.ts";
import { FLOORS, heldBack, isRollingOut, UNSETTLED } from "../../shared/rules/entry.ts";
import { applyOwnPart } from "../../shared/rules/status/own-part.ts";
import { CLUSTER_FINALIZER } from "./rules/guard.ts";
import { ownStatus } from "./rules/own-status.ts";
import { readProviders } from "./rules/reads.ts";
import { clusterReport, isBroughtUp, pausedClusterStatus } from "./rules/status.ts";
import { readView } from "./rules/view.ts";
import { VIEW_READS, VIEW_WATCHES } from "./rules/watches.ts";
import { clusterWritesDue } from "./rules/writes-due.ts";

export const clusterStatus = defineFunction(
  {
    name: "cluster-status",
    summary: "Computes the status of a Cluster: counters, conditions, phase.",
    source: "core/reconcilers/cluster/cluster_controller_status.go",
    reconciles: Cluster,
    when: [guarded(CLUSTER_FINALIZER, { isIdle: false }), unpaused],
    whilePaused: (cluster, { now }) => applied(cluster, pausedClusterStatus(cluster, now)),
    settles: true,
    watches: VIEW_WATCHES,
    reads: VIEW_READS,
    owns: ["status"],
    queue: { settleMs: 50 },
  },
  async (cluster, { read, now }) => {
    const providers = await readProviders(read, cluster);
    const unsettled = { object: cluster, isDue: () => clusterWritesDue(cluster, providers) };
    const held = heldBack([UNSETTLED], unsettled, now);
    if (held !== undefined) return held;

    const view = await readView({ read, now }, cluster, providers);
    const { status, events, result } = clusterReport(view);
    const { controlPlane, workers } = view.machines;
    const paceMs = FLOORS.cluster(controlPlane.length + workers.length);
    const floor = { notBeforeMs: isRollingOut(status) ? Math.max(paceMs, FLOORS.rollout) : paceMs };
    return { ...applied(cluster, status), events, ...(isBroughtUp(status) ? floor : {}), result };
  },
);

function applied(
  cluster: Cluster,
  status: ClusterStatus,
): Pick<Decision<Cluster, "status">, "apply" | "own"> {
  return applyOwnPart(cluster.status, ownStatus(cluster.status), status);
}
