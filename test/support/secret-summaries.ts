import type { SecretSummary } from "../../shared/function/secret-summary.ts";
import { merge, type Overrides } from "./builders.ts";
import { OWNED_BY_C1 } from "./foo-cluster.ts";

/** Secret c1-ca of Cluster c1: an authority that can sign until 2035. */
export function authoritySummary(overrides: Overrides<SecretSummary> = {}): SecretSummary {
  return merge<SecretSummary>(
    {
      metadata: { name: "c1-ca", namespace: "default", uid: "uid-c1-ca", resourceVersion: "80" },
      type: "cluster.x-k8s.io/secret",
      keys: ["tls.crt", "tls.key"],
      pair: {
        certificate: {
          notBefore: "2025-01-01T00:00:00.000Z",
          notAfter: "2035-01-01T00:00:00.000Z",
          fingerprint: "aa",
          isAuthority: true,
        },
        privateKey: "fits",
      },
    },
    overrides,
  );
}

/** Secret c1-kubeconfig, issued for Cluster c1, whose client certificate ends at `notAfter`. */
export function kubeconfigSummary(notAfter: string, overrides: Overrides<SecretSummary> = {}): SecretSummary {
  return merge<SecretSummary>(
    {
      metadata: {
        name: "c1-kubeconfig",
        namespace: "default",
        uid: "uid-c1-kubeconfig",
        resourceVersion: "90",
        ownerReferences: [OWNED_BY_C1],
      },
      type: "cluster.x-k8s.io/secret",
      keys: ["value"],
      kubeconfig: {
        server: "https://c1.example.com:6443",
        user: "c1-admin",
        authorityFingerprint: "aa",
        certificate: { notBefore: "2025-01-01T00:00:00.000Z", notAfter },
        privateKey: "fits",
      },
    },
    overrides,
  );
}
