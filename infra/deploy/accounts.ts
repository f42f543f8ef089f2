import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Manifest } from "./deployment.ts";
import { CORE, type Provider } from "./providers.ts";
import {
  AGGREGATED,
  aggregatingRole,
  clusterRole,
  clusterRoleBinding,
  LEASE_RULES,
  roleOf,
  serviceAccount,
} from "./rbac.ts";
import { rightsForCore, rightsOf } from "./rights.ts";

/**
 * Returns what the manager of a provider may do: by its functions, and its Lease. Names of cluster-scoped objects start
 * with the namespace, without which clusterctl leaves them behind.
 */
export function managerAccount(provider: Provider, functions: readonly AnyFunction[]): readonly Manifest[] {
  const { app, namespace } = provider;
  const isCore = provider === CORE;
  const rules = rightsOf(functions, provider.placeOf);
  const aggregated = `${namespace}-aggregated`;
  return [
    serviceAccount(app, namespace),
    clusterRole(`${namespace}-manager`, rules),
    clusterRoleBinding(`${namespace}-manager`, app, namespace),
    ...(isCore
      ? [aggregatingRole(aggregated, AGGREGATED), clusterRoleBinding(aggregated, app, namespace)]
      : [clusterRole(`${namespace}-for-core`, rightsForCore(provider.forCore), AGGREGATED)]),
    ...roleOf(app, namespace, LEASE_RULES),
  ];
}
