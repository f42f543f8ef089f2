import type { ObjectMeta } from "../api/kinds.ts";

/**
 * All that a step sees of a Secret: never a value of it, so that letters hold it as it is. Annotations are left out:
 * that of `kubectl apply` repeats the values.
 */
export interface SecretSummary {
  readonly metadata: Pick<
    ObjectMeta,
    | "name"
    | "namespace"
    | "uid"
    | "resourceVersion"
    | "creationTimestamp"
    | "deletionTimestamp"
    | "labels"
    | "ownerReferences"
  >;
  readonly type?: string | undefined;
  /** Names of its keys, sorted, at most 100. */
  readonly keys: readonly string[];
  /** The pair of keys `tls.crt` and `tls.key`; absent without either. */
  readonly pair?: PairSummary | undefined;
  /** The summary of key `value` in a Secret whose name ends in `-kubeconfig`. */
  readonly kubeconfig?: KubeconfigSummary | undefined;
}

/** RFC 3339 in UTC. Of several certificates the earliest `notAfter`. */
interface ValiditySummary {
  readonly notBefore: string;
  readonly notAfter: string;
}

export interface PairSummary {
  /** The certificate; absent when `tls.crt` holds a bare public key, or nothing that can be read. */
  readonly certificate?: CertificateSummary | undefined;
  /** Whether the private key belongs to the certificate, or to the public key. */
  readonly privateKey: "fits" | "missing" | "unusable";
  /** Why it cannot be used, for people: key of the Secret, problem, next step. */
  readonly wrong?: string | undefined;
}

export interface CertificateSummary extends ValiditySummary {
  /** SHA-256 of the first certificate, in hexadecimal. */
  readonly fingerprint: string;
  /** It may sign others. */
  readonly isAuthority: boolean;
}

export interface KubeconfigSummary {
  /** The server's URL without credentials. */
  readonly server?: string | undefined;
  /** Name of the user entry. */
  readonly user?: string | undefined;
  /** SHA-256 of the first certificate of the authority that clients must trust, in hexadecimal. */
  readonly authorityFingerprint?: string | undefined;
  /** The validity of the client certificate; absent without one. */
  readonly certificate?: ValiditySummary | undefined;
  /** Whether the client key belongs to the client certificate. */
  readonly privateKey: "fits" | "missing" | "unusable";
  /** Why no client can use it, for people: field, problem, next step. */
  readonly wrong?: string | undefined;
}
