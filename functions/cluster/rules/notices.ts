import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { topologyNotices } from "../../../shared/rules/coexistence/topology.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import type { ClusterView } from "./view.ts";

/**
 * Returns the Events of a Cluster: latches that fell, a changed phase, a connection that fails, a topology or a
 * reference that Capstan cannot work with. `status` is the one about to be written.
 */
export function clusterNotices(view: ClusterView, status: ClusterStatus): readonly Notice[] {
  const { cluster, providers, probe, topologyRuns, now } = view;
  return [
    ...changeNotices(cluster.metadata.name, cluster.status, status),
    ...probe.events,
    ...topologyNotices(cluster, topologyRuns, now),
    ...referenceNotices(cluster, [providers.infrastructure, providers.controlPlane]),
  ];
}

/**
 * Returns one Event for each latch that fell and for a phase that changed. Without a control plane object the condition
 * `ControlPlaneInitialized` is the latch.
 */
export function changeNotices(
  name: string,
  before: ClusterStatus | undefined,
  after: ClusterStatus,
): readonly Notice[] {
  const fell = (isSet: (status: ClusterStatus) => boolean) => isSet(after) && !isSet(before ?? {});
  const phase = after.phase ?? "Pending";
  return [
    ...(fell(isProvisioned)
      ? [normal("InfrastructureReady", `Infrastructure of Cluster ${name} is provisioned`)]
      : []),
    ...(fell(isInitialized)
      ? [normal("ControlPlaneInitialized", `Control plane of Cluster ${name} is initialized`)]
      : []),
    ...(before?.phase === phase ? [] : [normal(phase, `Cluster ${name} is ${phase}`)]),
  ];
}

function isProvisioned({ initialization }: ClusterStatus): boolean {
  return initialization?.infrastructureProvisioned === true;
}

function isInitialized({ initialization, conditions }: ClusterStatus): boolean {
  return (
    initialization?.controlPlaneInitialized === true ||
    conditionOf(conditions, "ControlPlaneInitialized")?.status === "True"
  );
}

function normal(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}
