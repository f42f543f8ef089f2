import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ContractReference, ContractVersion, KubeObject } from "../../../shared/api/kinds.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { clusterOwnership } from "./adoption.ts";

/** The two provider objects of a Cluster. */
export type ProviderRole = "infrastructure" | "controlPlane";

/** What was read of them; `undefined`: the Cluster has no such reference. */
export interface ClusterProviders {
  readonly infrastructure: Referenced | undefined;
  readonly controlPlane: Referenced | undefined;
}

/** An object that may be believed: it exists and carries the Cluster's uid. */
export interface OwnedProvider {
  readonly object: KubeObject;
  readonly contract: ContractVersion;
}

export function referenceOf(cluster: Cluster, role: ProviderRole): ContractReference | undefined {
  return role === "infrastructure" ? cluster.spec.infrastructureRef : cluster.spec.controlPlaneRef;
}

/** Objects that do not carry the Cluster's uid count as not there: they may belong to a Cluster of the same name. */
export function ownedProvider(cluster: Cluster, provider: Referenced | undefined): OwnedProvider | undefined {
  return provider?.state === "found" && clusterOwnership(cluster, provider.object) === "ours"
    ? { object: provider.object, contract: provider.contract }
    : undefined;
}
