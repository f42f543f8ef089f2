import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ContractReference } from "../../../shared/api/kinds.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { ControlPlane } from "../../../shared/contract/control-plane.ts";
import { InfraCluster } from "../../../shared/contract/infra-cluster.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Provider } from "../../../shared/rules/providers/adoption.ts";

/** The two provider objects of a Cluster. */
export type ProviderRole = "infrastructure" | "controlPlane";

/** Their reads; `undefined`: the Cluster has no such reference. */
export interface ClusterProviders {
  readonly infrastructure: Referenced | undefined;
  readonly controlPlane: Referenced | undefined;
}

const CONTRACTS: { readonly [Role in ProviderRole]: ContractKind } = {
  infrastructure: InfraCluster,
  controlPlane: ControlPlane,
};

export function referenceOf(cluster: Cluster, role: ProviderRole): ContractReference | undefined {
  return role === "infrastructure" ? cluster.spec.infrastructureRef : cluster.spec.controlPlaneRef;
}

/** Returns one provider object with its reference; `undefined`: the Cluster has no such reference. */
export function providerOf(
  cluster: Cluster,
  providers: ClusterProviders,
  role: ProviderRole,
): Provider | undefined {
  const [reference, found] = [referenceOf(cluster, role), providers[role]];
  return reference === undefined || found === undefined
    ? undefined
    : { on: CONTRACTS[role], reference, found };
}

/** Returns those that the Cluster references, in the order in which it needs them. */
export function providersOf(cluster: Cluster, providers: ClusterProviders): readonly Provider[] {
  return (["infrastructure", "controlPlane"] as const).flatMap(
    (role) => providerOf(cluster, providers, role) ?? [],
  );
}
