import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { awaitedControlPlane, awaitedInfrastructure } from "./awaited.ts";
import type { ClusterView } from "./view.ts";

/**
 * Returns the waits of a Cluster, in the order in which they end: infrastructure, control plane, a connection to its
 * workload server, the first Node of a control plane without object; while it is being deleted, what has to go first. `undefined` = nothing. `status` is the one about to
 * be written.
 */
export function awaitedCompletion(
  view: ClusterView,
  { initialization = {}, conditions }: ClusterStatus,
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
  if (view.connection?.status.state !== "connected") return "Connection.status.state";
  const isInitialized = conditionOf(conditions, "ControlPlaneInitialized")?.status === "True";
  const standAlone = view.cluster.spec.controlPlaneRef === undefined;
  return standAlone && !isInitialized ? "Machine.status.nodeRef" : undefined;
}
