import type { Kind } from "../api/kinds.ts";

/** Capstan itself as a provider of clusterctl: the value of the label `cluster.x-k8s.io/provider`. */
export const CORE_PROVIDER = "cluster-api";

/** Returns the label of the provider that brings a kind and the functions that reconcile it. */
export function providerOf({ provider = CORE_PROVIDER }: Pick<Kind, "provider">): string {
  return provider;
}
