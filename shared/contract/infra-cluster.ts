import { Cluster } from "../api/cluster/cluster.ts";
import type { ContractVersion } from "../api/kinds.ts";
import type { ContractKind } from "./contract-kind.ts";
import { FAILURE } from "./failure.ts";
import { everyPath } from "./paths.ts";

/** Provider kind with the infrastructure of a Cluster: network, load balancer. */
export const InfraCluster: ContractKind = {
  contract: "InfraCluster",
  referencedBy: [{ kind: Cluster, path: "spec.infrastructureRef" }],
};

/** Field paths by contract version. `failureDomains` is a map from name under v1beta1 and a list under v1beta2. */
const PATHS = {
  v1beta1: {
    provisioned: "status.ready",
    endpointHost: "spec.controlPlaneEndpoint.host",
    endpointPort: "spec.controlPlaneEndpoint.port",
    failureDomains: "status.failureDomains",
    ...FAILURE,
  },
  v1beta2: {
    provisioned: "status.initialization.provisioned",
    endpointHost: "spec.controlPlaneEndpoint.host",
    endpointPort: "spec.controlPlaneEndpoint.port",
    failureDomains: "status.failureDomains",
    ...FAILURE,
  },
} as const;
export type InfraClusterField = keyof (typeof PATHS)[ContractVersion];

export function infraClusterPath(contract: ContractVersion, field: InfraClusterField): string {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function infraClusterPaths(...fields: readonly InfraClusterField[]): readonly string[] {
  return everyPath(PATHS, fields);
}
