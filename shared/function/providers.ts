/** Providers of clusterctl that Capstan's kinds belong to: values of the label `cluster.x-k8s.io/provider`. */
export const PROVIDERS = ["cluster-api", "bootstrap-sim", "control-plane-sim", "infrastructure-sim"] as const;
export type Provider = (typeof PROVIDERS)[number];

const BY_GROUP: { readonly [group: string]: Provider } = {
  "bootstrap.sim.capstan.dev": "bootstrap-sim",
  "controlplane.sim.capstan.dev": "control-plane-sim",
  "infrastructure.sim.capstan.dev": "infrastructure-sim",
  "cloud.sim.capstan.dev": "infrastructure-sim",
};

/** Returns the provider that brings the kinds of an API group and the functions that reconcile them. */
export function providerOf(group: string): Provider {
  return BY_GROUP[group] ?? "cluster-api";
}
