import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Issue } from "../../../shared/function/issue.ts";
import type { SecretSummary } from "../../../shared/function/secret-summary.ts";
import {
  isIssued,
  KUBECONFIG_VALIDITY_SECONDS,
  kubeconfigIssue,
  renewalDueMs,
  serverOf,
} from "../../../shared/rules/credentials/kubeconfig.ts";
import { isOwnedBy, ownerReference } from "../../../shared/rules/metadata/owner-references.ts";
import type { Endpoint } from "./endpoint.ts";

/** A kubeconfig to issue now. */
export interface IssueDue {
  readonly server: string;
  readonly renew?: SecretSummary;
}

/** Time from an issue to the renewal. */
export const renewedAfterMs = (KUBECONFIG_VALIDITY_SECONDS * SECOND) / 2;

/**
 * Returns whether the kubeconfig Secret of a Cluster without control plane object must be made or renewed: made when
 * it is missing, renewed at half of its time when Capstan made it for this Cluster. Any other is left as it is.
 * Differs: Cluster API never renews what its core has made.
 */
export function issueDue(
  cluster: Cluster,
  endpoint: Endpoint,
  present: SecretSummary | undefined,
  now: Date,
): IssueDue | { readonly inMs: number } | "never" {
  if (present === undefined) return { server: serverOf(endpoint) };
  if (!isIssued(present) || !isOwnedBy(present, cluster.metadata.uid)) return "never";
  const inMs = renewalDueMs(present, KUBECONFIG_VALIDITY_SECONDS, now);
  if (inMs === undefined) return "never";
  if (inMs > 0) return { inMs };
  // The server that clients know stays.
  return { server: present.kubeconfig?.server ?? serverOf(endpoint), renew: present };
}

/** Returns the request for the Secret; the Cluster owns it, but is not its controller. */
export function requestOf(cluster: Cluster, { server, renew }: IssueDue): Issue {
  return kubeconfigIssue({
    cluster: objectKeyOf(cluster),
    server,
    owner: ownerReference(Cluster, cluster),
    validitySeconds: KUBECONFIG_VALIDITY_SECONDS,
    renew,
  });
}
