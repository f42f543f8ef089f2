/** Last parts of the names of Secrets that belong to a Cluster by their name alone. */
const PURPOSES: ReadonlySet<string> = new Set(["kubeconfig", "ca", "etcd", "sa", "proxy"]);
/** A purpose too, but its dashes hide it: names are split at their last dash. */
export const DASHED_PURPOSE = "-apiserver-etcd-client";

/**
 * Returns the Cluster that `clusterctl move` takes a Secret without owners for: `c1` for `c1-ca`. Undefined for any
 * other name. Source: kubernetes-sigs/cluster-api v1.14.0, util/secret/secret.go, ParseSecretName.
 */
export function clusterOfSecret(name: string): string | undefined {
  const dash = name.lastIndexOf("-");
  return dash >= 0 && PURPOSES.has(name.slice(dash + 1)) ? name.slice(0, dash) : undefined;
}
