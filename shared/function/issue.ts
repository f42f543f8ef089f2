import type { ObjectKey, OwnerReference } from "../api/kinds.ts";

/** A self-signed authority: keys `tls.crt`, `tls.key`, valid from 5 minutes ago. */
export interface Authority {
  readonly type: "authority";
  readonly commonName: string;
  readonly validitySeconds: number;
}

/** Keys without a certificate: `tls.crt` holds the public one, `tls.key` the private one. */
interface KeyPair {
  readonly type: "keyPair";
}

/**
 * A kubeconfig with one cluster, one user and a client certificate, in key `value`. The certificate is valid from when
 * that of its authority is, and for `validitySeconds` from now on, but no longer than its authority.
 */
export interface Kubeconfig {
  readonly type: "kubeconfig";
  /** Name of the cluster entry; user `<clusterName>-admin`, context `<clusterName>-admin@<clusterName>`. */
  readonly clusterName: string;
  /** `https://<host>:<port>` */
  readonly server: string;
  readonly subject: { readonly commonName: string; readonly organization: string };
  readonly validitySeconds: number;
  /** Secret of the authority that signs it and that clients trust. */
  readonly authority: ObjectKey;
}

/**
 * A Secret with new keys. The step says what it is for; the runtime makes the keys, so that no key passes through a
 * step, a letter or a replay.
 */
export interface Issue {
  readonly secret: ObjectKey;
  readonly labels: { readonly [key: string]: string };
  readonly owner: OwnerReference;
  /**
   * The Secret as it was read live: its data keys are replaced and `labels` are set, nothing else. Without it the Secret
   * is created and never overwrites: when there is one, the step runs again.
   */
  readonly renew?: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly [key: string]: string } | undefined;
  };
  readonly what: Authority | KeyPair | Kubeconfig;
}

/** Type of Secrets that controllers make; those of users have another. */
export const ISSUED_SECRET_TYPE = "cluster.x-k8s.io/secret";
