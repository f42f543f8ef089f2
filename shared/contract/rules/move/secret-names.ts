/** Last parts of the names of Secrets that belong to a Cluster by their name alone, in the order in which they are tried. */
const PURPOSES = ["kubeconfig", "ca", "etcd", "sa", "proxy", "apiserver-etcd-client"];

/**
 * Returns the Cluster that `clusterctl move` takes a Secret without owners for: `c1` for `c1-ca`. Undefined for any
 * other name. clusterctl up to v1.14.0 leaves `c1-apiserver-etcd-client` at the source.
 * Source: kubernetes-sigs/cluster-api v1.14.2, util/secret/secret.go, ParseSecretName.
 */
export function clusterOfSecret(name: string): string | undefined {
  const purpose = PURPOSES.find((each) => name.endsWith(`-${each}`));
  return purpose === undefined ? undefined : name.slice(0, -purpose.length - 1);
}
