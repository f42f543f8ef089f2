import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { awaitedControlPlane, awaitedInfrastructure } from "./awaited.ts";
import type { ClusterView } from "./view.ts";

/**
 * Returns the waits of a Cluster, in the order in which they end: infrastructure, control plane, a connection to its
 * workload server; while it is being deleted, what has to go first. `undefined` = nothing. `status` is the one about to
 * be written.
 */
export function awaitedCompletion(
  view: ClusterView,
  { initialization = {} }: ClusterStatus,
): string | undefined {
  if (view.deletion !== undefined) return view.deletion.awaits;
  if (awaitsTopology(view.cluster)) {
    const { infrastructureRef } = view.cluster.spec;
    return `Cluster.spec.${infrastructureRef === undefined ? "infrastructureRef" : "controlPlaneRef"}`;
  }
  if (initialization.infrastructureProvisioned !== true) {
    const awaited = awaitedInfrastructure(view.cluster, view.providers);
    if (awaited !== undefined) return awaited;
  }
  if (initialization.controlPlaneInitialized !== true) {
    const awaited = awaitedControlPlane(view.cluster, view.providers);
    if (awaited !== undefined) return awaited;
  }
  return view.connection?.status.state === "connected" ? undefined : "Connection.status.state";
}
