import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { topologyNotices } from "../../../shared/rules/coexistence/topology.ts";
import { referenceNotices } from "../../../shared/rules/providers/reference-notices.ts";
import type { ClusterView } from "./view.ts";

/**
 * Returns the Events of a Cluster: latches that fell, a changed phase, a connection that fails, a
 * topology or a reference or a MachineDeployment that Capstan cannot work with. `status` is the one about to
 * be written.
 */
export function clusterNotices(view: ClusterView, status: ClusterStatus): readonly Notice[] {
  const { cluster, providers, probe, deployments, topologyRuns } = view;
  return [
    ...changeNotices(cluster.metadata.name, cluster.status, status),
    ...probe.events,
    ...topologyNotices(cluster, topologyRuns),
    ...referenceNotices(cluster, [providers.infrastructure, providers.controlPlane]),
    ...deployments.events,
  ];
}

/** Returns one Event for each latch that fell and for a phase that changed. */
export function changeNotices(
  name: string,
  before: ClusterStatus | undefined,
  after: ClusterStatus,
): readonly Notice[] {
  const latches = [
    ["infrastructureProvisioned", "InfrastructureReady", `Infrastructure of Cluster ${name} is provisioned`],
    ["controlPlaneInitialized", "ControlPlaneInitialized", `Control plane of Cluster ${name} is initialized`],
  ] as const;
  const fallen = latches.filter(
    ([latch]) => after.initialization?.[latch] === true && before?.initialization?.[latch] !== true,
  );
  const phase = after.phase ?? "Pending";
  return [
    ...fallen.map(([, reason, message]) => normal(reason, message)),
    ...(before?.phase === phase ? [] : [normal(phase, `Cluster ${name} is ${phase}`)]),
  ];
}

function normal(reason: string, message: string): Notice {
  return { type: "Normal", reason, message };
}
