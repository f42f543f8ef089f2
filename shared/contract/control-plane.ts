import { Cluster } from "../api/cluster/cluster.ts";
import type { ContractVersion } from "../api/kinds.ts";
import type { ContractKind } from "./contract-kind.ts";
import { FAILURE } from "./failure.ts";
import { everyPath } from "./paths.ts";

/** Provider kind that runs the control plane of a Cluster. */
export const ControlPlane: ContractKind = {
  contract: "ControlPlane",
  referencedBy: [{ kind: Cluster, path: "spec.controlPlaneRef" }],
};

/**
 * Field paths by contract version. `available` under v1beta1 is a count of what is *un*available: subtract it from
 * `desiredReplicas`.
 */
const PATHS = {
  v1beta1: {
    initialized: "status.initialized",
    endpointHost: "spec.controlPlaneEndpoint.host",
    endpointPort: "spec.controlPlaneEndpoint.port",
    desiredReplicas: "spec.replicas",
    version: "spec.version",
    replicas: "status.replicas",
    readyReplicas: "status.readyReplicas",
    availableReplicas: undefined,
    unavailableReplicas: "status.unavailableReplicas",
    upToDateReplicas: "status.updatedReplicas",
    versions: "status.versions",
    lowestVersion: "status.version",
    externalManagedControlPlane: "status.externalManagedControlPlane",
    ...FAILURE,
  },
  v1beta2: {
    initialized: "status.initialization.controlPlaneInitialized",
    endpointHost: "spec.controlPlaneEndpoint.host",
    endpointPort: "spec.controlPlaneEndpoint.port",
    desiredReplicas: "spec.replicas",
    version: "spec.version",
    replicas: "status.replicas",
    readyReplicas: "status.readyReplicas",
    availableReplicas: "status.availableReplicas",
    unavailableReplicas: undefined,
    upToDateReplicas: "status.upToDateReplicas",
    versions: "status.versions",
    lowestVersion: "status.version",
    externalManagedControlPlane: "status.externalManagedControlPlane",
    ...FAILURE,
  },
} as const;

type Paths = (typeof PATHS)[ContractVersion];

/** Returns `undefined` for a field that the contract version does not have. */
export function controlPlanePath<Name extends keyof Paths>(
  contract: ContractVersion,
  field: Name,
): Paths[Name] {
  return PATHS[contract][field];
}

/** The paths of fields under every contract version, for watches. */
export function controlPlanePaths(...fields: readonly (keyof Paths)[]): readonly string[] {
  return everyPath(PATHS, fields);
}
