import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { SimInstance, SimServer } from "../../shared/api/sim/sim-cloud.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Manifest } from "./deployment.ts";
import { CORE, kindsOf, type Provider } from "./providers.ts";
import { inStandardGroup, ofSim, type PolicyRule, rightsForCore, rightsOf } from "./rights.ts";

const RBAC = "rbac.authorization.k8s.io";
/** Roles with this label add to the rights of core. */
const AGGREGATED = { "cluster.x-k8s.io/aggregate-to-manager": "true" };

/** Returns the ServiceAccount of a process in a namespace. */
function serviceAccount(name: string, namespace: string): Manifest {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
}

/**
 * Returns what the manager of a provider may do: by its functions, and its Lease. Names of cluster-scoped objects start
 * with the namespace, without which clusterctl leaves them behind. Source: RL-03, RL-04, RL-05
 */
export function managerAccount(provider: Provider, functions: readonly AnyFunction[]): readonly Manifest[] {
  const { app, namespace } = provider;
  const isCore = provider === CORE;
  const rules = rightsOf(functions, isCore ? inStandardGroup : ofSim);
  const aggregate = {
    ...clusterRole(`${namespace}-aggregated`, []),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: AGGREGATED }] },
  };
  return [
    serviceAccount(app, namespace),
    clusterRole(`${namespace}-manager`, rules),
    binding(`${namespace}-manager`, app, namespace),
    ...(isCore
      ? [aggregate, binding(`${namespace}-aggregated`, app, namespace)]
      : [clusterRole(`${namespace}-for-core`, rightsForCore(contractKinds(provider)), AGGREGATED)]),
    ...leaseRole(app, namespace),
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
    binding(`${namespace}-cloud`, name, namespace),
  ];
}

/** Kinds of a provider that core works on: not those of its cloud. */
function contractKinds(provider: Provider) {
  return kindsOf(provider).filter(({ group }) => group !== SimServer.group);
}

function clusterRole(
  name: string,
  rules: readonly PolicyRule[],
  labels?: { readonly [key: string]: string },
): Manifest & { readonly rules: readonly PolicyRule[] } {
  const metadata = { name, ...(labels && { labels }) };
  return { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata, rules };
}

/** Binds the ClusterRole of this name. */
function binding(name: string, account: string, namespace: string): Manifest {
  return bindingOf("ClusterRole", { name }, account, namespace);
}

function leaseRole(app: string, namespace: string): readonly Manifest[] {
  const metadata = { name: app, namespace };
  const leases: PolicyRule = {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["create", "get", "patch"],
  };
  return [
    { apiVersion: `${RBAC}/v1`, kind: "Role", metadata, rules: [leases] },
    bindingOf("Role", metadata, app, namespace),
  ];
}

function bindingOf(
  role: "Role" | "ClusterRole",
  metadata: Manifest["metadata"],
  account: string,
  namespace: string,
): Manifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${role}Binding`,
    metadata,
    roleRef: { apiGroup: RBAC, kind: role, name: metadata.name },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
}
