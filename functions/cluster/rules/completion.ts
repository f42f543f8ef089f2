import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { ContractVersion } from "../../../shared/api/kinds.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { ControlPlane, controlPlanePath } from "../../../shared/contract/control-plane.ts";
import { InfraCluster, infraClusterPath } from "../../../shared/contract/infra-cluster.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { ownedProvider, type ProviderRole, referenceOf } from "./providers.ts";
import type { ClusterView } from "./view.ts";

/**
 * What a Cluster still waits for, in the order in which it comes about: infrastructure, control plane, a connection to
 * its workload server; while it is being deleted, what has to go first. `undefined` = nothing. `status` is the one
 * about to be written.
 */
export function awaitedByCluster(
  view: ClusterView,
  { initialization = {} }: ClusterStatus,
): string | undefined {
  if (view.deletion !== undefined) return view.deletion.awaits;
  if (awaitsTopology(view.cluster)) {
    const { infrastructureRef } = view.cluster.spec;
    return `Cluster.spec.${infrastructureRef === undefined ? "infrastructureRef" : "controlPlaneRef"}`;
  }
  if (initialization.infrastructureProvisioned !== true) {
    const awaited = awaitedProvider(view, "infrastructure", INFRASTRUCTURE);
    if (awaited !== undefined) return awaited;
  }
  if (initialization.controlPlaneInitialized !== true) {
    const awaited = awaitedProvider(view, "controlPlane", CONTROL_PLANE);
    if (awaited !== undefined) return awaited;
  }
  return view.connection?.status.state === "connected" ? undefined : "Connection.status.state";
}

interface Latch {
  readonly kind: ContractKind;
  readonly path: (contract: ContractVersion) => string;
}
const INFRASTRUCTURE: Latch = {
  kind: InfraCluster,
  path: (contract) => infraClusterPath(contract, "provisioned"),
};
const CONTROL_PLANE: Latch = {
  kind: ControlPlane,
  path: (contract) => controlPlanePath(contract, "initialized"),
};

/** `undefined` when the Cluster has no such reference. */
function awaitedProvider(view: ClusterView, role: ProviderRole, { kind, path }: Latch): string | undefined {
  const [reference, provider] = [referenceOf(view.cluster, role), view[role]];
  if (reference === undefined || provider === undefined) return undefined;
  if (provider.state === "unresolved") return awaitedDefinition(provider, reference);
  if (provider.state === "missing") return `${kind.contract}.metadata.uid`;
  const own = ownedProvider(view.cluster, provider);
  return `${kind.contract}.${own === undefined ? "metadata.ownerReferences" : path(own.contract)}`;
}
