import { hostInUrl } from "../../api/host-in-url.ts";
import { CLUSTER_NAME_LABEL } from "../../api/indexes.ts";
import type { ObjectKey, OwnerReference } from "../../api/kinds.ts";
import { SECOND } from "../../function/backoff.ts";
import { ISSUED_SECRET_TYPE, type Issue } from "../../function/issue.ts";
import type { SecretSummary } from "../../function/secret-summary.ts";

/** 365 days. */
export const KUBECONFIG_VALIDITY_SECONDS = 365 * 24 * 60 * 60;

/** Fields of a Connection that show that its kubeconfig Secret is another one, or gone: no function watches Secrets. */
export const KUBECONFIG_USE_FIELDS = ["metadata.uid", "status.state", "status.secretVersion"] as const;

/** The time until an authority that is missing or cannot sign is asked for again: no function watches Secrets. */
export const AUTHORITY_RETRY_MS = 30 * SECOND;

/** The time until an authority that ends soon is looked at again. */
export const AUTHORITY_ENDS_MS = 24 * 60 * 60 * SECOND;

/** Certificates that a control plane is made of; the Secrets are called `<cluster>-<purpose>`. */
export type Purpose = "ca" | "etcd" | "proxy" | "sa" | "kubeconfig";

/** Returns the key of a Secret of a Cluster. */
export function secretKeyOf({ namespace, name }: ObjectKey, purpose: Purpose): ObjectKey {
  return { namespace, name: `${name}-${purpose}` };
}

interface KubeconfigWish {
  readonly cluster: ObjectKey;
  readonly server: string;
  readonly owner: OwnerReference;
  readonly validitySeconds: number;
  /** The labels beside that of the Cluster. */
  readonly labels?: Issue["labels"];
  /** The Secret that is renewed. */
  readonly renew?: SecretSummary | undefined;
}

/** Returns the request for a kubeconfig of the administrator of a Cluster, signed by `<cluster>-ca`. */
export function kubeconfigIssue(wish: KubeconfigWish): Issue {
  const { cluster, server, owner, validitySeconds, labels, renew } = wish;
  const { uid = "", resourceVersion = "", labels: present } = renew?.metadata ?? {};
  return {
    secret: secretKeyOf(cluster, "kubeconfig"),
    labels: { [CLUSTER_NAME_LABEL]: cluster.name, ...labels },
    owner,
    ...(renew === undefined ? {} : { renew: { uid, resourceVersion, labels: present } }),
    what: {
      type: "kubeconfig",
      clusterName: cluster.name,
      server,
      subject: { commonName: "kubernetes-admin", organization: "system:masters" },
      validitySeconds,
      authority: secretKeyOf(cluster, "ca"),
    },
  };
}

/** Returns the URL of a control plane endpoint. */
export function serverOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `https://${hostInUrl(host)}:${port}`;
}

/** Whether a controller of Cluster API made the Secret. A user's own has any other type. */
export function isIssued({ type }: SecretSummary): boolean {
  return type === ISSUED_SECRET_TYPE;
}

/**
 * Returns in how many ms a kubeconfig is due for renewal: when its client certificate has less than half of
 * `validitySeconds` left. 0 = now, undefined = never, because it has no client certificate. The length of the certificate
 * itself says nothing: it begins when that of its authority does.
 */
export function renewalDueMs(
  { kubeconfig }: SecretSummary,
  validitySeconds: number,
  now: Date,
): number | undefined {
  const { certificate, server } = kubeconfig ?? {};
  if (certificate === undefined || server === undefined) return undefined;
  const leftMs = Date.parse(certificate.notAfter) - now.getTime();
  return Math.max(0, leftMs - (validitySeconds * SECOND) / 2);
}

/**
 * Returns why a renewal would give no more time: the client certificate ends with its authority, or after it; `undefined`:
 * it would.
 */
export function endsWithAuthority(
  { kubeconfig }: SecretSummary,
  { metadata, pair }: SecretSummary,
): string | undefined {
  const end = pair?.certificate?.notAfter ?? "";
  if (!(Date.parse(kubeconfig?.certificate?.notAfter ?? "") >= Date.parse(end))) return undefined;
  const { namespace, name } = metadata;
  return `Secret ${namespace}/${name}: the certificate in tls.crt ends at ${end}, and that of the kubeconfig with it; write one that is valid for longer`;
}
