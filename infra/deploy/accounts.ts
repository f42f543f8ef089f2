import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { SimInstance, SimServer } from "../../shared/api/sim/sim-cloud.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Manifest } from "./deployment.ts";
import { CORE, kindsOf, type Provider } from "./providers.ts";
import {
  AGGREGATED,
  aggregatingRole,
  clusterRole,
  clusterRoleBinding,
  LEASE_RULES,
  roleOf,
  serviceAccount,
} from "./rbac.ts";
import { inStandardGroup, ofSim, type PolicyRule, rightsForCore, rightsOf } from "./rights.ts";

/**
 * Returns what the manager of a provider may do: by its functions, and its Lease. Names of cluster-scoped objects start
 * with the namespace, without which clusterctl leaves them behind.
 */
export function managerAccount(provider: Provider, functions: readonly AnyFunction[]): readonly Manifest[] {
  const { app, namespace } = provider;
  const isCore = provider === CORE;
  const rules = rightsOf(functions, isCore ? inStandardGroup : ofSim);
  const aggregated = `${namespace}-aggregated`;
  return [
    serviceAccount(app, namespace),
    clusterRole(`${namespace}-manager`, rules),
    clusterRoleBinding(`${namespace}-manager`, app, namespace),
    ...(isCore
      ? [aggregatingRole(aggregated, AGGREGATED), clusterRoleBinding(aggregated, app, namespace)]
      : [clusterRole(`${namespace}-for-core`, rightsForCore(contractKinds(provider)), AGGREGATED)]),
    ...roleOf(app, namespace, LEASE_RULES),
  ];
}

/** Returns what the simulated cloud may do: it follows its own kinds and reads the authorities of Clusters. */
export function cloudAccount({ app, namespace }: Provider): readonly Manifest[] {
  const name = `${app}-cloud`;
  const plurals = [SimInstance, SimServer].map(({ plural }) => plural);
  const rules: readonly PolicyRule[] = [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
    { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["get", "list", "watch"] },
    { apiGroups: [SimServer.group], resources: plurals, verbs: ["list", "patch", "watch"] },
    {
      apiGroups: [SimServer.group],
      resources: plurals.map((plural) => `${plural}/status`),
      verbs: ["patch"],
    },
  ];
  return [
    serviceAccount(name, namespace),
    clusterRole(`${namespace}-cloud`, rules),
    clusterRoleBinding(`${namespace}-cloud`, name, namespace),
  ];
}

/** Kinds of a provider that core works on: not those of its cloud. */
function contractKinds(provider: Provider) {
  return kindsOf(provider).filter(({ group }) => group !== SimServer.group);
}
