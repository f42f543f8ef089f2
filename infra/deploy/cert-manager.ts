import { yamlOf } from "./components.ts";
import type { Manifest } from "./deployment.ts";

/** Older than any cert-manager: where that is needed later, `clusterctl upgrade apply` replaces this one. */
export const STAND_IN_VERSION = "v0.0.1";

/**
 * Returns components that take the place of cert-manager where no network is: clusterctl installs none of our providers
 * before an Issuer and a Certificate can be created, which none of them needs. Nothing issues certificates.
 */
export function certManagerStandIn(): string {
  const namespace: Manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "cert-manager" } };
  return yamlOf([namespace, ...["Issuer", "Certificate"].map(crd)]);
}

function crd(kind: string): Manifest {
  const [group, singular] = ["cert-manager.io", kind.toLowerCase()];
  const plural = `${singular}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
