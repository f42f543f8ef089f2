import { pluralOf } from "./plural.ts";

/**
 * Returns the name under which core looks for the CRD of a kind: `awsmachinepools.infrastructure.cluster.x-k8s.io`. The
 * plural is computed; `spec.names.plural` plays no part. Source: Cluster API v1.14.0, internal/contract/version.go
 */
export function crdNameOf(group: string, kind: string): string {
  return `${pluralOf(kind.toLowerCase())}.${group}`;
}
