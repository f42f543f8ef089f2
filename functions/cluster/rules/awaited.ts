import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { controlPlanePath } from "../../../shared/contract/control-plane.ts";
import { infraClusterPath } from "../../../shared/contract/infra-cluster.ts";
import { awaitedField } from "../../../shared/rules/providers/adoption.ts";
import { clusterClaim } from "./adoption.ts";
import { type ClusterProviders, providerOf } from "./providers.ts";

/** Returns the field that has to change before the infrastructure is provisioned; `undefined` without reference. */
export function awaitedInfrastructure(cluster: Cluster, providers: ClusterProviders): string | undefined {
  const provider = providerOf(cluster, providers, "infrastructure");
  return (
    provider &&
    awaitedField(clusterClaim(cluster), provider, (contract) => infraClusterPath(contract, "provisioned"))
  );
}

/** Returns the field that has to change before the control plane is initialized; `undefined` without reference. */
export function awaitedControlPlane(cluster: Cluster, providers: ClusterProviders): string | undefined {
  const provider = providerOf(cluster, providers, "controlPlane");
  return (
    provider &&
    awaitedField(clusterClaim(cluster), provider, (contract) => controlPlanePath(contract, "initialized"))
  );
}
