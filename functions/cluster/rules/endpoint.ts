import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { hostInUrl } from "../../../shared/api/host-in-url.ts";
import { controlPlanePath } from "../../../shared/contract/control-plane.ts";
import { readCount, readString } from "../../../shared/contract/fields.ts";
import { infraClusterPath } from "../../../shared/contract/infra-cluster.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { awaitsTopology } from "../../../shared/rules/coexistence/topology.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { ownObject } from "./adoption.ts";
import { isControlPlaneInitialized, isInfrastructureProvisioned } from "./latches.ts";
import type { ClusterProviders, ProviderRole } from "./providers.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** The field of a Cluster and of its provider objects that holds the endpoint. */
export const ENDPOINT_FIELDS = ["spec.controlPlaneEndpoint"] as const;
const MAX_HOST = 512;
const MAX_PORT = 65_535;

/** Whether the host is not empty and the port not 0. */
export function isValidEndpoint(
  endpoint: { readonly host?: string | undefined; readonly port?: number | undefined } | undefined,
): endpoint is Endpoint {
  return (endpoint?.host ?? "") !== "" && (endpoint?.port ?? 0) !== 0;
}

/** Returns `host:port`; IPv6 hosts in brackets. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return `${hostInUrl(host)}:${port}`;
}

/** A valid endpoint of a provider object and which of the two it is. */
export interface EndpointSource extends Endpoint {
  readonly role: ProviderRole;
}

/**
 * Returns the endpoint to copy into the Cluster: none while its own value is valid, never an invalid one, host and port
 * of one
 * object together; the infra object wins.
 * Differs: a half-set value is never cleared; upstream clears it when the provider has no such field.
 */
export function desiredEndpoint(cluster: Cluster, providers: ClusterProviders): EndpointSource | "keep" {
  if (isValidEndpoint(cluster.spec.controlPlaneEndpoint)) return "keep";
  return reportedEndpoint(cluster, providers) ?? "keep";
}

/** The endpoint that the providers report, whatever the Cluster has. */
export function reportedEndpoint(cluster: Cluster, providers: ClusterProviders): EndpointSource | undefined {
  if (awaitsTopology(cluster)) return undefined;
  return (
    endpointFrom("infrastructure", cluster, providers.infrastructure) ??
    endpointFrom("controlPlane", cluster, providers.controlPlane)
  );
}

/** Returns the field that must change for an endpoint to be reported. */
export function awaitedEndpoint(cluster: Cluster, { infrastructure }: ClusterProviders): string {
  const { infrastructureRef } = cluster.spec;
  return infrastructureRef !== undefined && infrastructure?.state === "unresolved"
    ? awaitedDefinition(infrastructure, infrastructureRef)
    : "InfraCluster.spec.controlPlaneEndpoint";
}

/** The valid endpoint of one object: ours, not being deleted, and provisioned or initialized (flag or latch). */
export function endpointFrom(
  role: ProviderRole,
  cluster: Cluster,
  provider: Referenced | undefined,
): EndpointSource | undefined {
  const owned = ownObject(cluster, provider);
  if (owned === undefined || isDeleting(owned.object)) return undefined;
  const reached =
    role === "infrastructure"
      ? isInfrastructureProvisioned(cluster, provider)
      : isControlPlaneInitialized(cluster, provider);
  const [hostPath, portPath] = endpointPaths(role, owned);
  const host = readString(owned.object, hostPath).value ?? "";
  const port = readCount(owned.object, portPath).value ?? 0;
  const fits = host.length <= MAX_HOST && port <= MAX_PORT;
  return reached && fits && isValidEndpoint({ host, port }) ? { role, host, port } : undefined;
}

function endpointPaths(role: ProviderRole, { contract }: Found): readonly [string, string] {
  return role === "infrastructure"
    ? [infraClusterPath(contract, "endpointHost"), infraClusterPath(contract, "endpointPort")]
    : [controlPlanePath(contract, "endpointHost"), controlPlanePath(contract, "endpointPort")];
}
