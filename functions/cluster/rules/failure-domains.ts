import type { ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import type { ContractVersion } from "../../../shared/api/kinds.ts";

type FailureDomain = NonNullable<ClusterStatus["failureDomains"]>[number];

/** The list for the Cluster, or why the field of the provider object cannot be read. */
export type FailureDomains =
  | { readonly state: "read"; readonly domains: ClusterStatus["failureDomains"] }
  | { readonly state: "malformed"; readonly message: string };

const MAX_DOMAINS = 100;
const MAX_NAME = 256;

/**
 * Returns `status.failureDomains` of an infra object as the Cluster keeps it: a list sorted by name whatever the order
 * of the source, so that it is written once. The v1beta1 contract has a map, v1beta2 a list. Absent or empty removes
 * the list.
 */
export function failureDomainsOf(value: unknown, contract: ContractVersion): FailureDomains {
  if (value === undefined || value === null) return { state: "read", domains: undefined };
  const entries = contract === "v1beta1" ? entriesOfMap(value) : entriesOfList(value);
  const domains = entries?.map(([name, domain]) => domainOf(name, domain));
  if (
    domains === undefined ||
    domains.some((domain) => domain === undefined) ||
    domains.length > MAX_DOMAINS
  ) {
    const shape = contract === "v1beta1" ? "map" : "list";
    return { state: "malformed", message: `status.failureDomains is not a ${shape} of failure domains` };
  }
  const byName = new Map(domains.flatMap((domain) => (domain === undefined ? [] : [[domain.name, domain]])));
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { state: "read", domains: sorted.length === 0 ? undefined : sorted };
}

function entriesOfMap(value: unknown): readonly (readonly [unknown, unknown])[] | undefined {
  return isRecord(value) ? Object.entries(value) : undefined;
}

function entriesOfList(value: unknown): readonly (readonly [unknown, unknown])[] | undefined {
  return Array.isArray(value)
    ? value.map((domain: unknown) => [isRecord(domain) ? domain["name"] : undefined, domain])
    : undefined;
}

function domainOf(name: unknown, value: unknown): FailureDomain | undefined {
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME || !isRecord(value)) return undefined;
  const { controlPlane = false, attributes } = value;
  if (typeof controlPlane !== "boolean") return undefined;
  if (attributes === undefined || attributes === null) return { name, controlPlane };
  return isTextMap(attributes) ? { name, controlPlane, attributes } : undefined;
}

function isTextMap(value: unknown): value is { readonly [key: string]: string } {
  return isRecord(value) && Object.values(value).every((text) => typeof text === "string");
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
